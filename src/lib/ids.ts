import { hash } from 'node:crypto'
import { TypeID } from 'typeid-js'
import { v7 } from 'uuid'

/** Returns a new UUIDv7 (RFC 9562 section 5.7), monotonic within this process: ids of the same millisecond keep their order. */
export function newId(): string {
  return v7()
}

const publicId = /^([a-z]{3})_[0-7][0-9a-hjkmnp-tv-z]{25}$/

/** Returns the public id of a UUID: `crs_` and 26 characters of Crockford base32. The database stores UUIDs without a prefix. */
export function toPublicId(prefix: string, uuid: string): string {
  return TypeID.fromUUID(prefix, uuid).toString()
}

/** Returns the UUID of a public id; undefined if the text is not an id with this prefix. */
export function fromPublicId(prefix: string, text: string): string | undefined {
  if (publicId.exec(text)?.[1] !== prefix) return undefined
  return TypeID.fromString(text).toUUID()
}

/**
 * Returns the UUID inside a public id that the schema of a request has checked.
 * @throws Error if the text is not an id with this prefix
 */
export function uuidOf(prefix: string, text: string): string {
  const uuid = fromPublicId(prefix, text)
  if (uuid === undefined) throw new Error(`expected an id with the prefix ${prefix}`)
  return uuid
}

/** Returns a public id for a key that is not a UUID or is confidential. It is derived from the key's SHA-256, so it does not reveal the key. */
export function hashedId(prefix: string, key: string): string {
  const [, ...parts] = /^(.{8})(.{4})(.{4})(.{4})(.{12})/.exec(hash('sha256', key, 'hex')) ?? []
  return toPublicId(prefix, parts.join('-'))
}
