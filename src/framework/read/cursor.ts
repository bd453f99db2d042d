import { createHash } from 'node:crypto'
import { Problem } from '../../lib/problem.ts'
import type { Position } from '../declare/sorts.ts'

/** Signs cursors. Handed in, so that the framework holds no key. */
export interface CursorSigner {
  sign(text: string): string
  verify(text: string, signature: string): boolean
}

const maxLength = 2048

/** Names the list that a cursor belongs to: another filter, sort, school or audience is another list. */
export const listFingerprint = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)

/** Text that brings a client back to a position of this list, and that it cannot make itself. */
export function formatCursor(signer: CursorSigner, fingerprint: string, { value, id, isBackward }: Place): string {
  return seal(signer, [fingerprint, value, id, ...(isBackward ? [1] : [])])
}

/** A position, and whether the page ends there instead of beginning. */
export interface Place extends Position {
  isBackward: boolean
}

/**
 * The position inside a cursor.
 * @throws Problem invalid_cursor where it was not made here, or for another list
 */
export function parseCursor(signer: CursorSigner, fingerprint: string, cursor: string): Place {
  const [belongsTo, value, id, backward] = unseal(signer, cursor) as [string, Position['value'], string, 1?]
  if (belongsTo !== fingerprint) {
    throw new Problem('invalid_cursor', {
      description:
        'This cursor belongs to another list. Send it with the filters, sort and token that it came with, or start again without it.',
    })
  }
  return { value, id, isBackward: backward === 1 }
}

/** Text that only this service can make of these parts. */
export function seal(signer: CursorSigner, parts: readonly unknown[]): string {
  const payload = Buffer.from(JSON.stringify(parts)).toString('base64url')
  return `${payload}.${signer.sign(payload)}`
}

/**
 * The parts inside a sealed text.
 * @throws Problem invalid_cursor where it was not made here
 */
export function unseal(signer: CursorSigner, cursor: string): unknown[] {
  const [payload, signature, rest] = cursor.length <= maxLength ? cursor.split('.') : []
  if (!payload || !signature || rest !== undefined || !signer.verify(payload, signature)) throw new Problem('invalid_cursor')
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as unknown[]
}
