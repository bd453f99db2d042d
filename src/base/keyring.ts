import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash as digest,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

/** The purpose of a derived key. Each purpose has one key, so a leaked key does not affect other purposes. */
export type KeyPurpose =
  | 'cookies'
  | 'csrf'
  | 'cursors'
  | 'signing keys'
  | 'artifacts'
  | 'uploads'
  | 'downloads'
  | 'known browsers'
  | 'outbox'
  | 'sign-in steps'
  | 'authenticator apps'
  | 'recovery codes'
  | 'passkey challenges'
  | 'confirmations'
  | 'kept forms'
  | 'kept keys'
  | 'probes'
  | 'forms'
  | 'calendars'
  | 'stored responses'
  | 'undo'
  | 'approvals'
  | 'configuration'
  | 'unsubscribe links'
  | 'secret ids'

/** The purposes of signatures that people keep for longer than an operator keeps a secret. */
const lastingSignatures = ['recovery codes', 'unsubscribe links', 'known browsers'] as const satisfies KeyPurpose[]

/** Keys that verify signatures of removed root secrets, in base64url, by the id of the secret and the purpose. */
export type KeptKeys = Readonly<Record<string, Readonly<Partial<Record<KeyPurpose, string>>>>>

/**
 * Keys derived from the root secrets of SECRET_KEY by HKDF-SHA-256 (RFC 5869).
 * The first root signs and seals; every root verifies and opens, so that a list rotates the secret.
 */
export interface Keyring {
  /** 32-byte keys of a purpose, newest first. */
  keys(purpose: KeyPurpose): Buffer[]
  /** Encrypts a text with AES-256-GCM. Returns `<base64url>=<id of the newest root secret>` for `tryOpen`. */
  seal(purpose: KeyPurpose, text: string): string
  /** Decrypts a sealed text; undefined if no root secret opens it, for example because an operator removed the one that sealed it. */
  tryOpen(purpose: KeyPurpose, sealed: string): string | undefined
  /** Returns the position of the root secret that opens a sealed text, 0 for the newest, or -1. */
  openerOf(purpose: KeyPurpose, sealed: string): number
  /** Ids of the root secrets, newest first: 8 characters in base64url. They reveal nothing of them. */
  secretIds: readonly string[]
  /** Returns the keys of the older root secrets, and those that were accepted, which verify signatures that last. */
  olderKeys(): KeptKeys
  /** Verifies with these keys too, after their root secrets were removed. */
  accept(kept: KeptKeys): void
  /** Returns the HMAC-SHA-256 with the newest key, in base64url. */
  sign(purpose: KeyPurpose, text: string): string
  /** True if the signature is valid for any root secret. Compares in constant time. */
  verify(purpose: KeyPurpose, text: string, signature: string): boolean
  /** The time by which signed and sealed texts expire, in milliseconds of the epoch. All processes of an installation have the same. */
  now(): number
}

export function createKeyring(rootSecrets: readonly string[], now: () => number = () => Date.now()): Keyring {
  if (rootSecrets.length === 0) throw new Error('a keyring needs at least one root secret')
  const derived = new Map<KeyPurpose, Buffer[]>()
  const keys = (purpose: KeyPurpose): Buffer[] => {
    let found = derived.get(purpose)
    if (!found) {
      found = rootSecrets.map((root) => Buffer.from(hkdfSync('sha256', root, 'schoolgate', purpose, 32)))
      derived.set(purpose, found)
    }
    return found
  }
  // Node prepares a key once in this form, and a Buffer at each use.
  const prepared = new Map<KeyPurpose, KeyObject[]>()
  const preparedKeys = (purpose: KeyPurpose): KeyObject[] => {
    let found = prepared.get(purpose)
    if (!found) {
      found = keys(purpose).map((key) => createSecretKey(key))
      prepared.set(purpose, found)
    }
    return found
  }
  const secretIds = keys('secret ids').map((key) => key.toString('base64url').slice(0, idLength))
  const tryOpen = (purpose: KeyPurpose, sealed: string): string | undefined => {
    const named = preparedKeys(purpose)[secretIds.indexOf(secretIdOf(sealed) ?? '')]
    for (const key of named ? [named] : preparedKeys(purpose)) {
      const text = openWith(key, sealed)
      if (text !== undefined) return text
    }
    return undefined
  }
  let accepted: KeptKeys = {}
  const verifyingKeys = (purpose: KeyPurpose): KeyObject[] => [
    ...preparedKeys(purpose),
    ...Object.values(accepted).flatMap(({ [purpose]: key }) => (key === undefined ? [] : [createSecretKey(key, 'base64url')])),
  ]
  const newest = (purpose: KeyPurpose): KeyObject => preparedKeys(purpose)[0] as KeyObject
  return {
    keys,
    // Release 1.0.0 opens it too: Node decodes base64url up to the first `=`.
    seal: (purpose, text) => `${sealWith(newest(purpose), text)}=${secretIds[0]}`,
    tryOpen,
    openerOf: (purpose, sealed) => preparedKeys(purpose).findIndex((key) => openWith(key, sealed) !== undefined),
    secretIds,
    olderKeys() {
      const own = secretIds.slice(1).map((id, index) => {
        const ofSecret = lastingSignatures.map((purpose) => [purpose, keys(purpose)[index + 1]?.toString('base64url')])
        return [id, Object.fromEntries(ofSecret)]
      })
      return { ...accepted, ...Object.fromEntries(own) }
    },
    accept(kept) {
      accepted = kept
    },
    sign: (purpose, text) => signWith(newest(purpose), text),
    now,
    verify: (purpose, text, signature) => verifyingKeys(purpose).some((key) => isSame(signWith(key, text), signature)),
  }
}

/** Characters of the id of a root secret. */
const idLength = 8

/** Returns the id of the root secret that sealed a text; undefined if an earlier release sealed it. */
const secretIdOf = (sealed: string): string | undefined => (sealed.at(-idLength - 1) === '=' ? sealed.slice(-idLength) : undefined)

/** Derives a 32-byte key that only the holder of `token` can derive. */
export function keyFromToken(token: string, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', token, 'schoolgate', purpose, 32)))
}

/** Encrypts a text with AES-256-GCM. Returns nonce, tag and ciphertext as one base64url string. */
export function sealWith(key: KeyObject, text: string): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')
}

/** Decrypts a sealed text; undefined if this key does not open it. */
export function openWith(key: KeyObject, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length < 28) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAuthTag(bytes.subarray(12, 28))
  try {
    return decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return undefined
  }
}

/** Returns the SHA-256 in base64url. For values with enough randomness (tokens, ids), never for passwords. */
export function hash(text: string): string {
  return digest('sha256', text, 'base64url')
}

/** True if the texts are equal. Compares in constant time. */
export function isSame(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Returns `bits` random bits in base64url. */
export function randomToken(bits = 256): string {
  return randomBytes(Math.ceil(bits / 8)).toString('base64url')
}

const signWith = (key: KeyObject, text: string): string => createHmac('sha256', key).update(text).digest('base64url')
