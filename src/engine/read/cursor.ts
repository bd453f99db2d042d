import { hash } from 'node:crypto'
import { Problem } from '../../base/problem.ts'
import type { Position } from '../declare/sorts.ts'

export interface CursorSigner {
  sign(text: string): string
  verify(text: string, signature: string): boolean
}

const maxLength = 2048

/** Returns the fingerprint of a list. Lists that differ in filters, sort, school or audience have different fingerprints. */
export const listFingerprint = (parts: readonly unknown[]): string => hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22)

export function formatCursor(signer: CursorSigner, fingerprint: string, { value, id, isBackward }: Place): string {
  return seal(signer, [fingerprint, value, id, ...(isBackward ? [1] : [])])
}

export interface Place extends Position {
  /** True if the page ends at the position instead. */
  isBackward: boolean
}

/**
 * Returns the position in a cursor.
 * @throws Problem invalid_cursor if its signature is wrong or it belongs to another list
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

export function seal(signer: CursorSigner, parts: readonly unknown[]): string {
  const payload = Buffer.from(JSON.stringify(parts)).toString('base64url')
  return `${payload}.${signer.sign(payload)}`
}

/**
 * Returns the parts of a signed text.
 * @throws Problem invalid_cursor if the signature is wrong
 */
export function unseal(signer: CursorSigner, cursor: string): unknown[] {
  const [payload, signature, rest] = cursor.length <= maxLength ? cursor.split('.') : []
  if (!payload || !signature || rest !== undefined || !signer.verify(payload, signature)) throw new Problem('invalid_cursor')
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as unknown[]
}
