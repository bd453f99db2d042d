import { isObject } from '../../base/text/jsonValue.ts'
import type { ApiResponse, Call } from '../call.ts'
import type { Values } from '../declare/values.ts'
import { textOf } from './answerList.ts'
import { formatCursor, listFingerprint, parseCursor } from './cursor.ts'
import type { RequestedPage } from './reading.ts'

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
export function pageOfElements(call: Call, { answer, pagedBy, ownerId }: Elements): ElementPage {
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
export function requestedPage(call: Call, ownerId: string): RequestedPage {
  const cursor = call.parameters.get('cursor')
  const next = cursor === undefined ? undefined : parseCursor(call.signer, fingerprintOf(call, ownerId), cursor)
  return { limit: call.parameters.get('limit'), next }
}

/** Returns the page of a long list with its cursors. `loaded` are its elements and, if there are more, one of the next page. */
export function loadedPage(call: Call, { answer, pagedBy, ownerId }: Elements, { limit, next }: RequestedPage): ElementPage {
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
