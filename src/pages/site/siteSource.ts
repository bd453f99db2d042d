import { Problem } from '../../base/problem.ts'
import { everyRow, firstRows, type PageOfRows } from '../../base/text/pageOfRows.ts'

const maxWhole = 1000

/** Returns every row of a list, up to a number that no school reaches. `read` returns a page of it. */
export const wholeList = async <Row>(
  read: (position: { limit: string; cursor?: string }) => Promise<PageOfRows<Row>>,
): Promise<readonly Row[]> =>
  (
    await firstRows(
      everyRow((cursor) => read({ limit: '100', ...(cursor !== undefined && { cursor }) })),
      maxWhole,
    )
  ).rows

/** Returns true for the problem of a row or a resource that the reader cannot see. */
export const isHidden = (error: unknown): boolean => error instanceof Problem && (error.status === 404 || error.status === 403)
