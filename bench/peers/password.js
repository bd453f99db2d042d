/** Argon2id with the parameters that the service uses (19 MiB, two passes, one lane), so that every server pays the same for a sign-in. */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify(argon2)
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 }

export const credentials = { email: 'bench@example.com', password: 'correct horse battery staple' }

export async function hashPassword(password) {
  const nonce = randomBytes(16)
  const tag = await derive('argon2id', { ...cost, message: password, nonce })
  return `${nonce.toString('base64')}.${tag.toString('base64')}`
}

export async function verifyPassword(password, hash) {
  const [nonce, tag] = hash.split('.').map((part) => Buffer.from(part, 'base64'))
  return timingSafeEqual(await derive('argon2id', { ...cost, message: password, nonce }), tag)
}
