export type ListedRow = Readonly<Record<string, unknown>>

/** A page of a list, with the cursors of its neighbours: null if there is none. */
export interface PageOfRows<Row = ListedRow> {
  rows: readonly Row[]
  next: string | null
  previous: string | null
  /** The number of all rows, if the request asks for it. */
  total?: number | undefined
}

/** Reads every row of a list, page by page, beginning with the page without a cursor. */
export async function* everyRow<Row>(read: (cursor: string | undefined) => Promise<PageOfRows<Row>>): AsyncGenerator<Row> {
  let cursor: string | undefined
  do {
    const { rows, next }: PageOfRows<Row> = await read(cursor)
    yield* rows
    cursor = next ?? undefined
  } while (cursor !== undefined)
}

/** Returns the first rows of a list. `isAll` is false if there are more. */
export async function firstRows<Row>(rows: AsyncIterable<Row>, most: number): Promise<{ rows: Row[]; isAll: boolean }> {
  const found: Row[] = []
  for await (const row of rows) {
    if (found.length === most) return { rows: found, isAll: false }
    found.push(row)
  }
  return { rows: found, isAll: true }
}
