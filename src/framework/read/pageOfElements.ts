import { isObject } from '../../lib/jsonValue.ts'
import type { ApiResponse, Call } from '../call.ts'
import type { Values } from '../declare/values.ts'
import { textOf } from './answerList.ts'
import { formatCursor, listFingerprint, parseCursor } from './cursor.ts'

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
export function pageOfElements(
  call: Call,
  { answer, pagedBy, ownerId }: Elements,
): { answer: Values; list: NonNullable<ApiResponse['list']> } {
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
  return {
    answer: {
      object: 'list',
      data: all.slice(start, end),
      page: { limit, has_more: nextCursor !== null, next_cursor: nextCursor, prev_cursor: prevCursor },
    },
    list: { parameters: textOf(call), nextCursor, prevCursor },
  }
}
