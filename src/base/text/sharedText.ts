import { createHash } from 'node:crypto'
import { keysOf } from './keysOf.ts'

/** A JSON text that differs between schools in a few places only. It is held once for all of them. */
export interface SharedText<Name extends string> {
  /** Returns the bytes of the text with these pieces of JSON in its places. */
  fill(values: Readonly<Record<Name, string>>): Buffer
  versionOf(values: Readonly<Record<Name, string>>): string
}

/**
 * Creates a shared text from one that contains a marker at each place.
 * @throws Error if a marker is missing from the text
 */
export function createSharedText<Name extends string>(markers: Readonly<Record<Name, string>>, text: string): SharedText<Name> {
  const names = keysOf(markers)
  for (const name of names) if (!text.includes(markers[name])) throw new Error(`the text does not contain the marker of ${name}`)
  const form = new RegExp(`(${names.map((name) => RegExp.escape(markers[name])).join('|')})`)
  // The even pieces are text, the odd ones are markers.
  const pieces = text
    .split(form)
    .map((piece, index) => (index % 2 === 0 ? undefined : names.find((name) => markers[name] === piece)) ?? Buffer.from(piece))
  const version = createHash('sha256').update(text).digest('base64url')
  return {
    fill: (values) => Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(values[piece]) : piece))),
    versionOf: (values) =>
      createHash('sha256')
        .update(JSON.stringify([version, ...names.map((name) => values[name])]))
        .digest('base64url')
        .slice(0, 22),
  }
}

/** Returns a string as a piece of JSON for a place inside of a string. */
export const insideString = (text: string): string => JSON.stringify(text).slice(1, -1)
