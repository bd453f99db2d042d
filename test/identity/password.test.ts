import { describe, expect, test } from 'vitest'
import { hashPassword, verifyPassword } from '../../src/identity/accounts/password.ts'

// Made by the reference implementation (P-H-C/phc-winner-argon2, src/test.c).
const reference = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'

describe('passwords', () => {
  test('a hash of the reference implementation is understood', async () => {
    expect(await verifyPassword('password', reference)).toBe(true)
    expect(await verifyPassword('Password', reference)).toBe(false)
  })

  test('only the hashed password is verified', async () => {
    const phc = await hashPassword('correct horse')
    expect(phc).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    expect(await verifyPassword('correct horse', phc)).toBe(true)
    for (const wrong of ['', 'correct horse ', 'Correct horse', 'correct horse\u0000']) expect(await verifyPassword(wrong, phc)).toBe(false)
  })

  test('the same password has another hash each time', async () => {
    expect(await hashPassword('a')).not.toBe(await hashPassword('a'))
  })

  test('the same characters from another keyboard are the same password', async () => {
    expect(await verifyPassword('Zoë ﬁve', await hashPassword('Zoe\u0308 five'))).toBe(true)
  })

  test('1024 bytes are the most, as typed', async () => {
    const longest = 'é'.repeat(512)
    const phc = await hashPassword(longest)
    expect(await verifyPassword(longest, phc)).toBe(true)
    expect(await verifyPassword(`${longest}x`, phc)).toBe(false)
    await expect(hashPassword(`${longest}x`)).rejects.toThrow('1024')
  })

  test('a stored value of another form is an error, never a match', async () => {
    for (const stored of [
      '',
      'password',
      '$2b$10$abcdefghijklmnopqrstuv',
      reference.replace('argon2id', 'argon2i'),
      reference.replace('65536', '99999999'),
    ]) {
      await expect(verifyPassword('password', stored)).rejects.toThrow('Argon2id')
    }
  })
})
