import { audienceOf } from '../../base/caller.ts'
import { Problem } from '../../base/problem.ts'
import { type CsvDialect, csvCells, csvLines, csvType, standardCsv } from '../../base/text/csvText.ts'
import { isObject } from '../../base/text/jsonValue.ts'
import type { ApiResponse, Call } from '../call.ts'
import type { SeenRow } from '../declare/expressions.ts'
import type { OperationOf } from '../declare/operations.ts'
import type { Representation } from '../declare/representation.ts'
import { fieldSelector, parseShape } from '../declare/responseShape.ts'
import { type Position, positionOf } from '../declare/sorts.ts'
import { queryOfList, textOf, withinTime } from '../read/answerList.ts'
import { keyOfCall, noSuchRow } from '../read/answerRow.ts'
import { formatCursor } from '../read/cursor.ts'
import { findRow, findRows } from '../read/findRows.ts'
import { requireOffered } from '../read/selectRows.ts'
import { csvColumns, csvHeadings, type Member } from './csvColumns.ts'
import { csvDialect } from './csvDialect.ts'
import { listEtag, rowEtag, serialize } from './serialize.ts'

const batchRows = 500

/**
 * Returns a list as a file for the school's staff. Rows are streamed in batches, each with a separate short query.
 * @throws Problem not_acceptable if the list has no export, or the caller is not staff
 */
export async function answerExport(call: Call<OperationOf<'list'>>): Promise<ApiResponse> {
  const { operation, parameters, signer, caller, format } = call
  if (!operation.resource.isExported || audienceOf(caller) !== 'staff') {
    throw new Problem('not_acceptable', { description: 'This list is available to you only as application/json.' })
  }
  const shape = parseShape(call)
  const query = await queryOfList(call)
  const limit = parameters.get('limit')
  const batch = (after: Position | undefined, size: number): Promise<SeenRow[]> =>
    withinTime(call, 'export', true, ({ database, queryScope }) => findRows(database, queryScope, { ...query, after, limit: size }))
  const first = await batch(query.from, Math.min(batchRows, limit) + 1)
  const end = first.length <= Math.min(batchRows, limit) ? undefined : await endOf(call, limit)
  const members = format === 'csv' ? await membersOf(call, query.ownerId) : undefined
  const nextCursor = end ? formatCursor(signer, query.fingerprint, { ...end, isBackward: false }) : null

  async function* rows(): AsyncGenerator<SeenRow[]> {
    let page = first.slice(0, batchRows)
    let left = limit
    while (page.length > 0) {
      const taken = page.slice(0, left)
      yield taken
      left -= taken.length
      const last = taken.at(-1)
      if (left === 0 || page.length < batchRows || !last) return
      page = await batch(positionOf(last, query.sort), batchRows)
    }
  }
  const columns = csvColumns(operation.resource.schemas.staff, shape.fields, members)
  const dialect = await csvDialect(call)
  const headings = dialect === standardCsv ? columns : csvHeadings(columns, members)
  const selected = fieldSelector(shape.fields)
  let sent = 0
  const bodies = async function* (): AsyncGenerator<Record<string, unknown>[]> {
    for await (const page of rows()) {
      yield page.map((row) => selected(serialize(operation.resource, row, call)))
      sent += page.length
    }
  }
  return {
    status: 200,
    body: {},
    text: '',
    list: { parameters: textOf(call), nextCursor, prevCursor: null },
    stream:
      format === 'csv'
        ? {
            type: csvType,
            pieces: csvOf({ columns, headings }, withElements(call, bodies(), members), dialect),
            rows: () => sent,
          }
        : { type: 'application/x-ndjson', pieces: ndjsonOf(bodies()), rows: () => sent },
  }
}

/** Returns the position of the file's last row if more rows follow. Runs before the first byte is sent, because a header has the link. */
async function endOf(call: Call<OperationOf<'list'>>, limit: number): Promise<Position | undefined> {
  const { sort, conditions, from } = await queryOfList(call)
  const narrow = {
    ...call.queryScope.resource,
    columns: [...new Set(['id', sort.column])],
    selections: [],
  }
  const found = await withinTime(call, 'export', true, ({ database, queryScope }) =>
    findRows(database, { ...queryScope, resource: narrow, statements: undefined }, { sort, conditions, after: from, limit: limit + 1 }),
  )
  const last = found[limit - 1]
  return found.length > limit && last ? positionOf(last, sort) : undefined
}

/** Returns the members of fields whose members vary. Runs before the first byte is sent, because the first line names them. */
async function membersOf(call: Call, ownerId: string | undefined): Promise<Map<string, readonly Member[]>> {
  const { operation, database, school, parameters } = call
  const found = new Map<string, readonly Member[]>()
  for (const [field, declared] of Object.entries(operation.resource.csvMembers)) {
    const namesOf = typeof declared === 'function' ? declared : declared.names
    const names = await namesOf({ database, school, parameters, ownerId })
    if (names) found.set(field, names)
  }
  return found
}

/** Turns each list whose elements have columns into an object with the value of each element by its key. */
async function* withElements(
  { operation }: Call,
  pages: AsyncIterable<Record<string, unknown>[]>,
  members: ReadonlyMap<string, unknown> = new Map(),
): AsyncGenerator<Record<string, unknown>[]> {
  const lists = Object.entries(operation.resource.csvMembers).flatMap(([field, declared]) =>
    typeof declared === 'object' && members.has(field) ? [{ field, ...declared }] : [],
  )
  const valuesOf = (body: Record<string, unknown>, { field, key, value }: (typeof lists)[number]) => {
    const elements = (Array.isArray(body[field]) ? body[field] : []).filter(isObject)
    return [field, Object.fromEntries(elements.map((element) => [String(element[key]), element[value]]))]
  }
  for await (const page of pages) yield page.map((body) => ({ ...body, ...Object.fromEntries(lists.map((list) => valuesOf(body, list))) }))
}

async function* csvOf(
  { columns, headings }: { columns: readonly string[]; headings: readonly string[] },
  pages: AsyncIterable<Record<string, unknown>[]>,
  dialect: CsvDialect,
): AsyncGenerator<string> {
  yield dialect.start + csvLines([headings], dialect)
  for await (const page of pages)
    yield csvLines(
      page.map((body) => csvCells(columns, body)),
      dialect,
    )
}

async function* ndjsonOf(pages: AsyncIterable<Record<string, unknown>[]>): AsyncGenerator<string> {
  for await (const page of pages) yield `${page.map((body) => JSON.stringify(body)).join('\n')}\n`
}

/**
 * Returns the rows of the caller's list in another format, up to the maximum of one response; a link leads to the next rows.
 * @throws Problem not_found, invalid_cursor, query_too_expensive
 */
export async function answerListAs(call: Call<OperationOf<'list'>>, representation: Representation): Promise<ApiResponse> {
  const { operation, parameters, signer } = call
  const { sort, conditions, fingerprint, from } = await queryOfList(call)
  const limit = parameters.get('limit')
  return await withinTime(call, 'read', true, async ({ database, queryScope }) => {
    const found = await findRows(database, queryScope, { conditions, sort, after: from, limit: limit + 1 })
    if (found.length === 0) await requireOffered(database, queryScope)
    const rows = found.slice(0, limit)
    const last = rows.at(-1)
    const text = representation.write(
      rows.map((row) => ({ body: serialize(operation.resource, row, call), version: row.version })),
      call,
    )
    const nextCursor =
      found.length > limit && last ? formatCursor(signer, fingerprint, { ...positionOf(last, sort), isBackward: false }) : null
    return {
      status: operation.successStatus,
      body: {},
      text,
      type: representation.type,
      etag: listEtag(text),
      rows: rows.length,
      list: { parameters: textOf(call), nextCursor, prevCursor: null },
    }
  })
}

/**
 * Returns one row in another format.
 * @throws Problem invalid_id, not_found
 */
export async function answerRowAs(call: Call, representation: Representation): Promise<ApiResponse> {
  const { operation, database, queryScope } = call
  const row = await findRow(database, queryScope, keyOfCall(call))
  if (!row) throw noSuchRow(operation.resource)
  const text = representation.write([{ body: serialize(operation.resource, row, call), version: row.version }], call)
  const etag = rowEtag(row.version, row.seen_as, text)
  return { status: operation.successStatus, body: {}, text, type: representation.type, etag }
}
