import { assert, integer, property, string } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createKeyring, hash, isSame, keyFromToken, openWith, randomToken, sealWith } from '../../src/base/keyring.ts'

const [old, current] = ['the secret of last year, 32 characters', 'the secret of this year, 32 characters']
const wild = string({ unit: 'binary' })

describe('sealing', () => {
  test('opens to the text that was sealed', async () => {
    const keyring = createKeyring([current])
    await assert(
      property(wild, (text) => {
        expect(keyring.tryOpen('artifacts', keyring.seal('artifacts', text))).toBe(text.toWellFormed())
      }),
    )
  })

  test('shows nothing of the text, and never the same twice', () => {
    const keyring = createKeyring([current])
    const sealed = keyring.seal('artifacts', 'a token value')
    expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain('token')
    expect(keyring.seal('artifacts', 'a token value')).not.toBe(sealed)
  })

  test('a value that was changed in any bit opens to nothing', async () => {
    const key = keyFromToken('token', 'purpose')
    const sealed = Buffer.from(sealWith(key, 'a token value'), 'base64url')
    await assert(
      property(integer({ min: 0, max: sealed.length * 8 - 1 }), (bit) => {
        const changed = Buffer.from(sealed)
        changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7))
        expect(openWith(key, changed.toString('base64url'))).toBeUndefined()
      }),
    )
  })

  test('wild text opens to nothing and never breaks', async () => {
    const key = keyFromToken('token', 'purpose')
    await assert(
      property(wild, (text) => {
        expect(openWith(key, text)).toBeUndefined()
      }),
    )
  })

  test('a value sealed for one purpose does not open for another', () => {
    const keyring = createKeyring([current])
    expect(keyring.tryOpen('cursors', keyring.seal('artifacts', 'text'))).toBeUndefined()
  })

  test('a value sealed under one token does not open under another', () => {
    expect(openWith(keyFromToken('b', 'window'), sealWith(keyFromToken('a', 'window'), 'text'))).toBeUndefined()
    expect(openWith(keyFromToken('a', 'other'), sealWith(keyFromToken('a', 'window'), 'text'))).toBeUndefined()
  })
})

describe('rotation', () => {
  const [before, during, after] = [createKeyring([old]), createKeyring([current, old]), createKeyring([current])]

  test('a list opens and verifies what the old secret made', () => {
    expect(during.tryOpen('signing keys', before.seal('signing keys', 'text'))).toBe('text')
    expect(during.verify('csrf', 'text', before.sign('csrf', 'text'))).toBe(true)
  })

  test('the first secret of a list signs and encrypts new values', () => {
    expect(after.tryOpen('signing keys', during.seal('signing keys', 'text'))).toBe('text')
    expect(during.sign('csrf', 'text')).toBe(after.sign('csrf', 'text'))
    expect(during.keys('cookies')).toEqual([...after.keys('cookies'), ...before.keys('cookies')])
  })

  test('a secret that was removed opens and verifies nothing any more', () => {
    expect(after.tryOpen('signing keys', before.seal('signing keys', 'text'))).toBeUndefined()
    expect(after.verify('csrf', 'text', before.sign('csrf', 'text'))).toBe(false)
  })

  test('the secret that opens a value is known by its position, and each has a name that is its own', () => {
    const sealed = [during, before].map((keyring) => keyring.seal('undo', 'text'))
    expect(sealed.map((text) => during.openerOf('undo', text))).toEqual([0, 1])
    expect(sealed.map((text) => after.openerOf('undo', text))).toEqual([0, -1])
    expect(during.secretIds).toEqual([...after.secretIds, ...before.secretIds])
    expect(new Set(during.secretIds).size).toBe(2)
  })

  test('a keyring without a secret cannot be made', () => {
    expect(() => createKeyring([])).toThrow(/at least one/)
  })
})

describe('signing', () => {
  test('a signature holds for its text and purpose alone', async () => {
    const keyring = createKeyring([current])
    const signature = keyring.sign('cursors', 'text')
    expect(keyring.verify('cursors', 'text', signature)).toBe(true)
    expect(keyring.verify('csrf', 'text', signature)).toBe(false)
    await assert(
      property(wild, (text) => {
        expect(keyring.verify('cursors', text, signature)).toBe(text === 'text')
      }),
    )
    await assert(
      property(wild, (text) => {
        expect(keyring.verify('cursors', 'text', text)).toBe(text === signature)
      }),
    )
  })

  test('keys of different purposes have nothing in common', () => {
    const keyring = createKeyring([current])
    const purposes = ['cookies', 'csrf', 'cursors', 'signing keys', 'artifacts', 'downloads', 'calendars'] as const
    const keys = purposes.map((purpose) => keyring.keys(purpose)[0]?.toString('hex'))
    expect(new Set(keys).size).toBe(purposes.length)
    expect(keys.every((key) => key?.length === 64)).toBe(true)
  })
})

test('texts are the same only where every character is', async () => {
  await assert(
    property(wild, wild, (left, right) => {
      expect(isSame(left, right)).toBe(Buffer.from(left).equals(Buffer.from(right)))
    }),
  )
})

test('a token has the randomness that was asked for and only characters of base64url', () => {
  expect(randomToken()).toMatch(/^[\w-]{43}$/)
  expect(randomToken(128)).toMatch(/^[\w-]{22}$/)
  expect(new Set(Array.from({ length: 1000 }, () => randomToken(128))).size).toBe(1000)
})

test('a hash is SHA-256 in base64url (RFC 7636 appendix B)', () => {
  expect(hash('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe('E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM')
})
