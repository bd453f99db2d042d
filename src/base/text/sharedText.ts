import { createHash } from 'node:crypto'
import { keysOf } from './keysOf.ts'

/** A JSON text that differs between schools in a few strings only. It is held once for all of them. */
export interface SharedText<Name extends string> {
  /** Returns the bytes of the text with these strings in it. */
  fill(values: Readonly<Record<Name, string>>): Buffer
  versionOf(values: Readonly<Record<Name, string>>): string
}

/**
 * Creates a JSON text from a function that builds its object. The function runs once, with a marker for each value: it may insert a marker
 * anywhere in a string, but must not parse it, change it or depend on it.
 * @throws Error if a marker is missing from the text: the function has changed it
 */
export function createSharedText<Name extends string>(
  markers: Readonly<Record<Name, string>>,
  build: (markers: Readonly<Record<Name, string>>) => object,
): SharedText<Name> {
  const names = keysOf(markers)
  const text = JSON.stringify(build(markers))
  for (const name of names) if (!text.includes(markers[name])) throw new Error(`the text does not contain the marker of ${name}`)
  const form = new RegExp(`(${names.map((name) => RegExp.escape(markers[name])).join('|')})`)
  // The even pieces are text, the odd ones are markers.
  const pieces = text
    .split(form)
    .map((piece, index) => (index % 2 === 0 ? undefined : names.find((name) => markers[name] === piece)) ?? Buffer.from(piece))
  const version = createHash('sha256').update(text).digest('base64url')
  return {
    fill(values) {
      return Buffer.concat(
        pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(JSON.stringify(values[piece]).slice(1, -1)) : piece)),
      )
    },
    versionOf: (values) =>
      createHash('sha256')
        .update(JSON.stringify([version, ...names.map((name) => values[name])]))
        .digest('base64url')
        .slice(0, 22),
  }
}
