import { createHash, timingSafeEqual } from 'node:crypto'
import { Problem } from '../lib/problem.ts'

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Returns a function that checks the `Authorization` header of a request against the keys, in a time that does not depend on its value. */
export function createKeyCheck(keys: readonly string[]): (header: string | undefined) => void {
  const hashes = keys.map(hashOf)
  return (header) => {
    const [, sent = ''] = /^Bearer +([\x21-\x7e]{1,1000})$/i.exec(header ?? '') ?? []
    const hash = hashOf(sent)
    const matches = hashes.filter((known) => timingSafeEqual(known, hash))
    if (matches.length === 0) {
      throw new Problem('invalid_token', { description: 'The platform key is missing or wrong. Send it as Authorization: Bearer KEY.' })
    }
  }
}
