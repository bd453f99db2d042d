import { AsyncLocalStorage } from 'node:async_hooks'
import { hash, randomUUID } from 'node:crypto'
import { v7 } from 'uuid'

/** The ids of the rows that a repeated request adds: those that are left from the first time, and those that it got until now. */
const repetition = new AsyncLocalStorage<{ left: string[]; got: string[] }>()

/** Runs work whose new rows get these ids, in their order, and then new ones. Returns all of them with the result. */
export async function withIds<Result>(ids: readonly string[], work: () => Promise<Result>): Promise<{ result: Result; ids: string[] }> {
  const repeated = { left: [...ids], got: [] }
  return { result: await repetition.run(repeated, work), ids: repeated.got }
}

function repeatable(id: () => string): string {
  const repeated = repetition.getStore()
  const next = repeated?.left.shift() ?? id()
  repeated?.got.push(next)
  return next
}

/**
 * Returns a new UUIDv7 (RFC 9562 section 5.7) for a row, monotonic within this process: ids of the same millisecond keep their order. A
 * repeated request gets the same ids again: see `withIds`.
 */
export const newId = (): string => repeatable(newEntryId)

/** Returns a new UUIDv7 for an entry that has the time at which it is written, also in a repeated request. */
export function newEntryId(): string {
  return v7()
}

/** Returns a new UUIDv7 of another time: rows that are listed by their ids have it as the time of their creation. */
export const newIdAt = (time: Date): string => repeatable(() => v7({ msecs: time.getTime() }))

/** Returns a new UUIDv7 in a tenth of the time of `newId`. Ids of the same millisecond have no order. */
export function newUnorderedId(): string {
  const hex = Date.now().toString(16).padStart(12, '0')
  // Node draws the random bytes of many UUIDs together.
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${randomUUID().slice(15)}`
}

/** Returns the least UUIDv7 of a time, in milliseconds: ids that are made later are greater. */
export function firstIdAt(milliseconds: number): string {
  const hex = Math.max(0, Math.floor(milliseconds)).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

export const timeOfId = (uuid: string): number => Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16)

/**
 * Returns a UUIDv8 (RFC 9562 section 5.8) for a temporary client or account of `schoolgate doctor`: events about it are not sent to receivers.
 */
export const newTemporaryId = (): string => temporaryStart + randomUUID().slice(temporaryStart.length)
export const isTemporaryId = (uuid: string | undefined): boolean => uuid?.startsWith(temporaryStart) ?? false
const temporaryStart = '00000000-0000-8'

const publicId = /^[a-z]{3}_[0-7][0-9a-hjkmnp-tv-z]{25}$/
/** Crockford's base32 in lower case, as TypeID writes it. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
/** Every two characters of base32, by their ten bits. */
const pairs: readonly string[] = Array.from({ length: 1024 }, (_, bits) => `${alphabet[bits >> 5]}${alphabet[bits & 31]}`)
/** The values of hexadecimal digits by their ASCII code; 16 for other characters. */
const hexValues = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase())
  return value === -1 ? 16 : value
})
/** A UUID is 2 digits, and then 6 groups of 5 digits: 10 bits and 6 × 20 bits, so that each group is whole characters of base32. */
const groups = Uint8Array.from([...'xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx'].flatMap((mark, index) => (mark === 'x' ? [index] : [])).slice(2))

/**
 * Returns the public id of a UUID: `crs_` and 26 characters of Crockford base32. The database stores UUIDs without a prefix.
 * @throws Error if the text is not a UUID
 */
export function toPublicId(prefix: string, uuid: string): string {
  let invalid = uuid.length === 36 && uuid[8] === '-' && uuid[13] === '-' && uuid[18] === '-' && uuid[23] === '-' ? 0 : 16
  const [first, second] = [hexValue(uuid, 0), hexValue(uuid, 1)]
  invalid |= first | second
  let text = `${prefix}_${pairs[((first << 4) | second) & 1023]}`
  for (let start = 0; start < groups.length; start += 5) {
    let bits = 0
    for (let index = start; index < start + 5; index += 1) {
      const value = hexValue(uuid, groups[index] ?? 0)
      invalid |= value
      bits = (bits << 4) | value
    }
    text += `${pairs[(bits >> 10) & 1023]}${pairs[bits & 1023]}`
  }
  if (invalid > 15) throw new Error('expected a UUID')
  return text
}

/** Returns the value of the hexadecimal digit at this place; 16 for any other character. */
function hexValue(uuid: string, index: number): number {
  const code = uuid.charCodeAt(index)
  return code < 128 ? (hexValues[code] ?? 16) : 16
}

export function fromPublicId(prefix: string, text: string): string | undefined {
  if (!publicId.test(text) || !text.startsWith(`${prefix}_`)) return undefined
  const valueAt = (index: number): number => alphabet.indexOf(text.charAt(index))
  let hex = ((valueAt(4) << 5) | valueAt(5)).toString(16).padStart(2, '0')
  for (let index = 6; index < 30; index += 4) {
    const bits = (valueAt(index) << 15) | (valueAt(index + 1) << 10) | (valueAt(index + 2) << 5) | valueAt(index + 3)
    hex += bits.toString(16).padStart(5, '0')
  }
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
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

/** Returns an id of this type for documents. No row has it. */
export const exampleId = (prefix: string): string => toPublicId(prefix, '01942bc1-1a80-7000-8000-000000000001')
