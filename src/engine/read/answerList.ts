import { audienceOf } from '../../base/caller.ts'
import { Problem } from '../../base/problem.ts'
import { limitStatements, type StatementPurpose } from '../../database/connection/timeLimit.ts'
import type { ApiResponse, Call } from '../call.ts'
import type { SeenRow } from '../declare/expressions.ts'
import type { ListParent, OperationOf } from '../declare/operations.ts'
import { parseShape, type Shape } from '../declare/responseShape.ts'
import { positionOf, reversed, type Sort } from '../declare/sorts.ts'
import { listEtag } from '../output/serialize.ts'
import { explainViolation } from '../write/explainViolation.ts'
import { keyOfCall, noSuchRow, serializeExpanded } from './answerRow.ts'
import { formatCursor, listFingerprint, type Place, parseCursor } from './cursor.ts'
import { countRows, findRow, findRows } from './findRows.ts'
import { filterCondition, type RowCondition } from './listStatement.ts'
import { type KeptTexts, keptTexts, withBody } from './rowTexts.ts'
import { searchCondition } from './searchRows.ts'
import { requireOffered } from './selectRows.ts'

type ListCall = Call<OperationOf<'list'>>

const maxCount = 10_000

/**
 * Returns one page of the rows that the caller can see.
 * @throws Problem invalid_cursor, query_too_expensive
 */
export async function answerList(call: ListCall): Promise<ApiResponse> {
  const shape = parseShape(call)
  return await answerPage(call, shape, await keptTexts(call, shape))
}

async function answerPage(call: ListCall, shape: Shape, texts?: KeptTexts): Promise<ApiResponse> {
  const { operation, parameters } = call
  const limit = parameters.get('limit')
  const answered = await withinTime(call, 'read', isHard(call), async (within) => {
    const { sort, conditions, fingerprint, from } = await queryOfList({ ...call, database: within.database }, limit)
    const { rows, hasNext, hasPrevious } = await readPage(
      { ...within, queryScope: { ...within.queryScope, onDemand: shape.onDemand, part: texts?.part } },
      { sort, conditions, from, limit },
    )
    if (rows.length === 0) await requireOffered(within.database, within.queryScope)
    const [first, last] = [rows[0], rows.at(-1)]
    const cursorAt = (row: SeenRow, isBackward: boolean): string =>
      formatCursor(call.signer, fingerprint, { ...positionOf(row, sort), isBackward })
    const nextCursor = hasNext && last ? cursorAt(last, false) : null
    const prevCursor = hasPrevious && first ? cursorAt(first, true) : null
    const page = {
      limit,
      has_more: nextCursor !== null,
      next_cursor: nextCursor,
      prev_cursor: prevCursor,
      ...(await totalOf(within, conditions)),
    }
    const answer = { status: operation.successStatus, list: { parameters: textOf(call), nextCursor, prevCursor } }
    if (!texts) {
      const body = { object: 'list', data: await serializeExpanded(within, shape, rows), page }
      const text = JSON.stringify(body)
      return { ...answer, body, text, etag: listEtag(text) }
    }
    const written = await texts.of(rows, within.database)
    if (!written) return undefined
    const text = `{"object":"list","data":[${written.join(',')}],"page":${JSON.stringify(page)}}`
    return withBody(text, { ...answer, etag: listEtag(text) })
  })
  return answered ?? (await answerPage(call, shape))
}

/** The order and the conditions of a list, the place where the page begins, and the fingerprint in its cursors. */
export interface ListQuery {
  sort: Sort
  conditions: readonly RowCondition[]
  fingerprint: string
  from: Place | undefined
  /** The id of the parent row, if the list belongs to one. */
  ownerId: string | undefined
}

/**
 * Derives the query of a list from its parameters: of a page, or of all its rows.
 * @throws Problem invalid_cursor, or not_found if the caller cannot see the parent row
 */
export async function queryOfList(call: ListCall, pageLimit?: number): Promise<ListQuery> {
  const { parameters, signer, operation } = call
  const sort = sortOf(call)
  const owner = operation.parent && (await findParent(call, operation.parent))
  const cursor = parameters.get('cursor')
  const fingerprint = fingerprintOf(call, sort, owner?.id)
  // The first page of the newest rows needs no others.
  const isOfNewest = sort.name === '-created_at' && !owner && cursor === undefined && parameters.get('include') === undefined
  return {
    sort,
    conditions: [...(await conditionsOf(call, isOfNewest ? pageLimit : undefined)), ...(owner ? [owner.condition] : [])],
    fingerprint,
    from: cursor === undefined ? undefined : parseCursor(signer, fingerprint, cursor),
    ownerId: owner?.id,
  }
}

interface PageOfRows {
  rows: SeenRow[]
  hasNext: boolean
  hasPrevious: boolean
}

/** Reads the page before or after a place. Fetches one extra row to find out if there is another page. */
async function readPage(
  { database, queryScope }: Pick<Call, 'database' | 'queryScope'>,
  { sort, conditions, from, limit }: Omit<ListQuery, 'fingerprint' | 'ownerId'> & { limit: number },
): Promise<PageOfRows> {
  const isBackward = from?.isBackward ?? false
  const found = await findRows(database, queryScope, {
    conditions,
    sort: isBackward ? reversed(sort) : sort,
    after: from,
    limit: limit + 1,
  })
  const rows = found.slice(0, limit)
  const isMore = found.length > limit
  // The page that contains the cursor's own row always exists.
  return isBackward
    ? { rows: rows.toReversed(), hasNext: true, hasPrevious: isMore }
    : { rows, hasNext: isMore, hasPrevious: from !== undefined }
}

async function totalOf({ database, queryScope, parameters }: Call, conditions: readonly RowCondition[]): Promise<object> {
  if (parameters.get('include') === undefined) return {}
  const count = await countRows(database, queryScope, conditions, maxCount + 1)
  return { total: { count: Math.min(count, maxCount), relation: count > maxCount ? 'gte' : 'eq' } }
}

/** True if the list may read more than a range of one index, which can take long. */
const isHard = ({ operation, parameters }: Call): boolean =>
  operation.parameters.some(({ name, filter }) => (filter || name === 'q' || name === 'include') && parameters.get(name) !== undefined)

function sortOf({ operation: { resource }, parameters, caller }: Call): Sort {
  const sort =
    resource.sorts.find(({ name }) => name === parameters.get('sort')) ??
    resource.defaultSorts?.[audienceOf(caller) === 'staff' ? 'staff' : 'everyone']
  if (!sort) throw new Error(`${resource.name} has no order`)
  if (sort.roles && !sort.roles.includes(audienceOf(caller))) {
    throw new Problem('invalid_parameter', {
      description: 'Your role cannot sort by this field.',
      details: [
        { field: 'sort', code: 'not_allowed', message: `sort: ${sort.name} uses a field that your role cannot see. Choose another one.` },
      ],
    })
  }
  return sort
}

async function findParent(call: ListCall, { resource, where }: ListParent): Promise<{ id: string; condition: RowCondition }> {
  const row = await findRow(call.database, { ...call.queryScope, resource }, keyOfCall(call, resource))
  if (!row) throw noSuchRow(resource)
  return { id: row.id, condition: { shape: `parent ${resource.name}`, values: [row.id], where: (rows, [id]) => where(rows, String(id)) } }
}

async function conditionsOf({ operation, parameters, queryScope, database }: Call, pageLimit?: number): Promise<RowCondition[]> {
  const filtered = operation.parameters.flatMap(({ name, filter }): RowCondition[] => {
    const value = parameters.get(name)
    if (!filter || value === undefined) return []
    return [filterCondition(name, filter, { values: Array.isArray(value) ? value : [value], caller: queryScope.caller })]
  })
  const text = parameters.get('q')
  if (text === undefined) return filtered
  const newest = pageLimit !== undefined && filtered.length === 0 ? pageLimit + 1 : undefined
  return [...filtered, await searchCondition(database, queryScope, { text, newest })]
}

function fingerprintOf({ operation, school, caller, parameters }: Call, sort: Sort, owner: string | undefined): string {
  const filters = operation.parameters.filter(({ name, filter }) => filter || name === 'q').map(({ name }) => parameters.get(name) ?? null)
  return listFingerprint([operation.id, school.id, audienceOf(caller), sort.name, filters, ...(owner === undefined ? [] : [owner])])
}

/** Returns the query parameters of the list as text, without the cursor. */
export function textOf({ operation, parameters }: Pick<Call, 'operation' | 'parameters'>): Record<string, string> {
  const inPath = (sought: string): boolean => operation.parameters.some((one) => one.in === 'path' && one.name === sought)
  const texts: Record<string, string> = {}
  for (const [name, value] of parameters) if (name !== 'cursor' && value !== undefined && !inPath(name)) texts[name] = String(value)
  return texts
}

/**
 * Runs a read with a time limit for its statements. A read that is not hard, or on the embedded database, runs without a limit.
 * @throws Problem query_too_expensive
 */
export async function withinTime<Result>(
  call: Call,
  purpose: Exclude<StatementPurpose, 'write'>,
  isHard: boolean,
  work: (call: Call) => Promise<Result>,
): Promise<Result> {
  const { store, operation } = call
  if (!isHard || !store || store.kind === 'embedded') return await work(call)
  try {
    return await store.transaction(async (writer) => {
      await limitStatements(store.kind, writer, purpose)
      return await work({ ...call, database: writer })
    }, 'read')
  } catch (error) {
    throw explainViolation(error, operation.resource)
  }
}
