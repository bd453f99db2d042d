import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

type Cost = Pick<Argon2Parameters, 'memory' | 'passes' | 'parallelism'>

// The OWASP minimum for Argon2id: 19 MiB, two passes, one lane. About 25 ms of one core.
const cost: Cost = { memory: 19_456, passes: 2, parallelism: 1 }
const saltBytes = 16
const tagBytes = 32

/** The longest accepted password, in bytes of UTF-8 as typed. */
export const maxPasswordBytes = 1024

const derive = promisify(argon2)

/**
 * Returns the Argon2id hash (RFC 9106) of a password in PHC string form.
 * @throws RangeError above 1024 bytes
 */
export async function hashPassword(password: string): Promise<string> {
  if (isTooLong(password)) throw new RangeError(`a password has at most ${maxPasswordBytes} bytes`)
  const salt = randomBytes(saltBytes)
  const tag = await derive('argon2id', { ...cost, message: normalise(password), nonce: salt, tagLength: tagBytes })
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${unpadded(salt)}$${unpadded(tag)}`
}

/**
 * Returns true if the password matches the hash. Compares in constant time; a password above 1024 bytes never matches.
 * @throws Error if `phc` is not an Argon2id string of bounded cost
 */
export async function verifyPassword(password: string, phc: string): Promise<boolean> {
  const { salt, tag, ...stored } = parsePhc(phc)
  if (isTooLong(password)) return false
  const presented = await derive('argon2id', { ...stored, message: normalise(password), nonce: salt, tagLength: tag.length })
  return timingSafeEqual(presented, tag)
}

/** Returns true for a password above the limit. Checked as typed, before anything is computed from it. */
export function isTooLong(password: string): boolean {
  return Buffer.byteLength(password) > maxPasswordBytes
}

// NIST SP 800-63B section 5.1.1.2: a password typed on another keyboard gives the same bytes.
const normalise = (password: string): string => password.normalize('NFKC')

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

const phcForm = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/

function parsePhc(phc: string): Cost & { salt: Buffer; tag: Buffer } {
  const parts = phcForm.exec(phc)
  if (!parts) throw new Error('the stored password hash is not an Argon2id string')
  const [, memory, passes, parallelism, salt = '', tag = ''] = parts
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}
