import { createHash } from 'node:crypto'
import { Problem } from '../lib/problem.ts'
import type { Position } from './sorts.ts'

/** Signs cursors. Handed in, so that the kit holds no key. */
export interface CursorSigner {
  sign(text: string): string
  verify(text: string, signature: string): boolean
}

const maxLength = 2048

/** Names the list that a cursor belongs to: another filter, sort, school or audience is another list. */
export const listFingerprint = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)

/** Text that brings a client back to a position of this list, and that it cannot make itself. */
export function writeCursor(signer: CursorSigner, fingerprint: string, { value, id }: Position): string {
  const payload = Buffer.from(JSON.stringify([fingerprint, value, id])).toString('base64url')
  return `${payload}.${signer.sign(payload)}`
}

/**
 * The position inside a cursor.
 * @throws Problem invalid_cursor where it was not made here, or for another list
 */
export function readCursor(signer: CursorSigner, fingerprint: string, cursor: string): Position {
  const [payload, signature, rest] = cursor.length <= maxLength ? cursor.split('.') : []
  if (!payload || !signature || rest !== undefined || !signer.verify(payload, signature)) throw new Problem('invalid_cursor')
  const [belongsTo, value, id] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [string, Position['value'], string]
  if (belongsTo !== fingerprint) {
    throw new Problem('invalid_cursor', {
      description:
        'This cursor belongs to another list. Send it with the filters, sort and token that it came with, or start again without it.',
    })
  }
  return { value, id }
}
