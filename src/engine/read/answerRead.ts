import { hash } from 'node:crypto'
import type { z } from 'zod'
import { audienceOf } from '../../base/caller.ts'
import { isObject } from '../../base/text/jsonValue.ts'
import { playerSources } from '../../base/text/players.ts'
import type { ApiResponse, Call, RequestInput } from '../call.ts'
import type { Values } from '../declare/expressions.ts'
import type { Operation, OperationOf } from '../declare/operations.ts'
import { selectMembers } from '../declare/responseShape.ts'
import { pickerOf, type View } from '../declare/views.ts'
import { csvDialect } from '../output/csvDialect.ts'
import { csvResponse } from '../output/csvResponse.ts'
import { primed, type Section, sectionsJson } from '../output/sectionsJson.ts'
import { listEtag, rowEtag } from '../output/serialize.ts'
import { requireVisible } from '../write/changeRow.ts'
import { parseInput } from '../write/parseBody.ts'
import { textOf, withinTime } from './answerList.ts'
import { keyOfCall, noSuchRow } from './answerRow.ts'
import { formatCursor, listFingerprint, parseCursor } from './cursor.ts'
import { findWholeRow } from './findRows.ts'
import type { RequestedPage } from './reading.ts'

/**
 * Returns the response of a read on a row, in the caller's view of that row.
 * @throws Problem invalid_id, not_found, access_denied
 */
export async function answerRead(call: Call<OperationOf<'read'>>, sent: RequestInput): Promise<ApiResponse> {
  const { operation, database, queryScope } = call
  const { resource, rules, output } = operation
  const body = await bodyOf(operation, sent)
  const row = await findWholeRow(database, queryScope, keyOfCall(call))
  if (!row) throw noSuchRow(resource)
  requireVisible(row, resource, rules.view ?? 'public')
  const input = parseInput(rules.input, body)
  const page = rules.loadsPage && requestedPage(call, row.id)
  const read = await rules.run({ ...call, ...(page && { page }) }, row, input)
  const { response: selected, list } = pageIn(call, rules, { response: read, ownerId: row.id, page })
  const response = shaped(call, pickerOf(output, row.seen_as)(selected), output, rules)
  const sections = rules.sections?.(call)
  if (sections) return { status: operation.successStatus, body: {}, text: '', stream: await streamed(response, sections) }
  const text = call.format === 'html' && rules.asHtml ? rules.asHtml(response, call) : JSON.stringify(response)
  const type = call.format === 'html' ? { type: 'text/html', headers: htmlHeaders(rules.htmlStyle, text) } : {}
  const etag = tagged(operation, rowEtag(row.version, row.seen_as, text))
  return { status: operation.successStatus, body: response, text, ...type, ...etag, ...list }
}

const shaped = ({ parameters }: Call, body: Values, output: z.ZodObject, { pagedBy }: { pagedBy?: string }): Values =>
  selectMembers(body, output, { fields: parameters.get('fields'), isPage: pagedBy !== undefined })

function pageIn(
  call: Call,
  { pagedBy }: { pagedBy?: string },
  { response, ownerId, page }: { response: Values; ownerId?: string; page?: RequestedPage | undefined },
): { response: Values; list?: Pick<ApiResponse, 'list'> } {
  if (pagedBy === undefined) return { response }
  const elements = { answer: response, pagedBy, ...(ownerId !== undefined && { ownerId }) }
  const { answer, list } = page ? loadedPage(call, elements, page) : pageOfElements(call, elements)
  return { response: answer, list: { list } }
}

/** Allows the style element of a document, the players in its texts, and nothing else. */
const htmlHeaders = (style: string | undefined, html: string): Record<string, string> =>
  style === undefined
    ? {}
    : {
        'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; ${html.includes('<iframe ') ? `${playerSources}; ` : ''}frame-ancestors 'none'; base-uri 'none'`,
      }

async function streamed(response: Record<string, unknown>, sections: readonly Section[]): Promise<NonNullable<ApiResponse['stream']>> {
  const names = new Set(sections.map(({ name }) => name))
  const head = Object.fromEntries(Object.entries(response).filter(([name]) => !names.has(name)))
  let sent = 0
  const counted = sections.map(({ name, rows }): Section => ({ name, rows: counting(rows, (count) => (sent += count)) }))
  return { type: 'application/json', pieces: await primed(sectionsJson(head, counted)), rows: () => sent }
}

async function* counting<Batch extends readonly unknown[]>(
  batches: AsyncIterable<Batch>,
  add: (count: number) => void,
): AsyncGenerator<Batch> {
  for await (const batch of batches) {
    yield batch
    add(batch.length)
  }
}

/**
 * Returns the response of a read on the collection as a whole.
 * @throws Problem query_too_expensive
 */
export async function answerCollectionRead(call: Call<OperationOf<'collectionRead'>>, sent: RequestInput): Promise<ApiResponse> {
  const { operation, caller, format } = call
  const { rules, output } = operation
  const input = parseInput(rules.input, await bodyOf(operation, sent))
  const read = await withinTime(call, 'read', rules.isHard ?? false, ({ database }) => rules.run({ ...call, database }, input))
  const { response, list } = pageIn(call, rules, { response: read })
  const whole = pickerOf(output, widestView(caller))(response)
  if (format === 'csv') return csvResponse(operation, whole, await csvDialect(call))
  const body = shaped(call, whole, output, rules)
  const text = JSON.stringify(body)
  return { status: operation.successStatus, body, text, ...tagged(operation, listEtag(text)), ...list }
}

/** Returns the body of a read by POST; an absent body is an empty object. */
async function bodyOf({ method }: Operation, sent: RequestInput): Promise<unknown> {
  const body = method === 'POST' ? await sent.body?.() : undefined
  return body === undefined ? {} : body
}

/** Responses to POST are not cached, so only GET has an ETag. */
const tagged = ({ method }: Operation, etag: string): { etag?: string } => (method === 'GET' ? { etag } : {})

const widestView = (caller: Call['caller']): View =>
  (({ anonymous: 'public', learner: 'own', lecturer: 'staff', staff: 'staff' }) as const)[audienceOf(caller)]

/** A page of a list, and the cursors of the pages next to it. */
export interface ElementPage {
  answer: Values
  list: NonNullable<ApiResponse['list']>
}

interface Elements {
  answer: Values
  pagedBy: string
  /** The id of the row to which the list belongs, if there is one. */
  ownerId?: string
}

/**
 * Returns one page of a list that a read returns as a whole. A cursor names the element at which the page ends, or its place if that element
 * was removed meanwhile.
 * @throws Problem invalid_cursor
 */
function pageOfElements(call: Call, { answer, pagedBy, ownerId }: Elements): ElementPage {
  const { operation, parameters, school, signer } = call
  const all: readonly unknown[] = Array.isArray(answer.data) ? answer.data : []
  const keys = all.map((element) => String(isObject(element) ? element[pagedBy] : ''))
  const limit = parameters.get('limit')
  const cursor = parameters.get('cursor')
  const fingerprint = listFingerprint([operation.id, school.id, ownerId])
  const from = cursor === undefined ? undefined : parseCursor(signer, fingerprint, cursor)
  const found = from ? keys.indexOf(from.id) : -1
  const place = found === -1 ? Math.min(Number(from?.value ?? 0), all.length) : found
  const start = from?.isBackward ? Math.max(0, place - limit) : found === -1 ? place : place + 1
  const end = from?.isBackward ? place : Math.min(start + limit, all.length)
  const cursorAt = (index: number, isBackward: boolean): string =>
    formatCursor(signer, fingerprint, { value: index, id: keys[index] ?? '', isBackward })
  const nextCursor = end < all.length && end > 0 ? cursorAt(end - 1, false) : null
  const prevCursor = start > 0 ? cursorAt(start, true) : null
  return pageWith(call, all.slice(start, end), { nextCursor, prevCursor })
}

const pageWith = (call: Call, data: readonly unknown[], cursors: Pick<ElementPage['list'], 'nextCursor' | 'prevCursor'>): ElementPage => ({
  answer: {
    object: 'list',
    data,
    page: {
      limit: call.parameters.get('limit'),
      has_more: cursors.nextCursor !== null,
      next_cursor: cursors.nextCursor,
      prev_cursor: cursors.prevCursor,
    },
  },
  list: { parameters: textOf(call), ...cursors },
})

/** Returns a fingerprint of a list with all parameters except the cursor and the limit. */
function fingerprintOf({ operation, school, parameters }: Call, ownerId: string | undefined): string {
  const filters = [...parameters].filter(([name, value]) => name !== 'cursor' && name !== 'limit' && value !== undefined)
  return listFingerprint([operation.id, school.id, ownerId, filters])
}

/**
 * Returns the page that a caller requests of a long list.
 * @throws Problem invalid_cursor
 */
function requestedPage(call: Call, ownerId: string): RequestedPage {
  const cursor = call.parameters.get('cursor')
  const next = cursor === undefined ? undefined : parseCursor(call.signer, fingerprintOf(call, ownerId), cursor)
  return { limit: call.parameters.get('limit'), next }
}

/** Returns the page of a long list with its cursors. `loaded` are its elements and, if there are more, one of the next page. */
function loadedPage(call: Call, { answer, pagedBy, ownerId }: Elements, { limit, next }: RequestedPage): ElementPage {
  const loaded: readonly unknown[] = Array.isArray(answer.data) ? answer.data : []
  const isBackward = next?.isBackward ?? false
  const shown = loaded.slice(0, limit)
  const data = isBackward ? shown.toReversed() : shown
  const fingerprint = fingerprintOf(call, ownerId)
  const cursorAt = (element: unknown, backward: boolean): string | null =>
    isObject(element) ? formatCursor(call.signer, fingerprint, { value: null, id: String(element[pagedBy]), isBackward: backward }) : null
  const isMore = loaded.length > limit
  return pageWith(call, data, {
    nextCursor: isBackward || isMore ? cursorAt(data.at(-1), false) : null,
    prevCursor: isBackward ? (isMore ? cursorAt(data[0], true) : null) : next ? cursorAt(data[0], true) : null,
  })
}
