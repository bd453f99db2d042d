import { hash } from 'node:crypto'
import type { View } from '../declare/views.ts'

const viewLetters = { public: 'p', own: 'o', staff: 's' } as const satisfies Record<View, string>

const digest = (text: string): string => hash('sha256', text, 'hex').slice(0, 8)

/**
 * Returns the ETag of a row: `"17-s-9f2c01ab"` has the version, the view, and a hash of the body, because counters and the caller's own
 * state change a body without changing the version (RFC 9110 section 8.8.3).
 */
export const rowEtag = (version: number, view: View, text: string): string => `"${version}-${viewLetters[view]}-${digest(text)}"`

/** Returns the ETag of a list. It is weak, because a list is a view of many rows. */
export const listEtag = (text: string): string => `W/"${digest(text)}"`
