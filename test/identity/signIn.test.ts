import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../../src/base/ids.ts'
import { normaliseEmail } from '../../src/base/text/emailAddress.ts'
import { inSchool, schoolDatabase } from '../../src/database/school/inSchool.ts'
import { hashPassword } from '../../src/identity/accounts/password.ts'
import { findSignedInAccount } from '../../src/identity/accounts/signedInAccount.ts'
import { signIn as signInWith } from '../../src/identity/accounts/signIn.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'

const schoolId = newId()
const ids = { active: newId(), disabled: newId(), withoutPassword: newId() }
const opened = duringTests(openTestDatabase)
let database: TestDatabase['database']
const signIn = (school: string, email: string | undefined, password: string) =>
  signInWith(inSchool(database.kysely, school), email, password, turn, (account_id) => ({
    school_id: schoolId,
    event: 'sign_in.succeeded',
    account_id,
  }))
const turn = (verify: () => Promise<boolean>): Promise<boolean> => {
  hashed += 1
  return verify()
}
let hashed = 0

beforeAll(async () => {
  database = opened.database
  await database.kysely
    .insertInto('school')
    .values({ id: schoolId, slug: 'one', name: 'One', locale: 'en', supported_locales: ['en'], time_zone: 'UTC', currency: 'EUR' })
    .execute()
  const password_hash = await hashPassword('the password')
  await database.kysely
    .insertInto('account')
    .values([
      { school_id: schoolId, id: ids.active, email: 'ada@example.com', name: 'Ada', password_hash },
      { school_id: schoolId, id: ids.disabled, email: 'gone@example.com', name: 'Gone', password_hash, disabled_at: new Date() },
      { school_id: schoolId, id: ids.withoutPassword, email: 'new@example.com', name: 'New', password_hash: null },
    ])
    .execute()
})

beforeEach(() => {
  hashed = 0
})

const lastSignIn = async (id: string) =>
  (await database.kysely.selectFrom('account').select('last_sign_in_at').where('id', '=', id).executeTakeFirstOrThrow()).last_sign_in_at

const audited = () => database.kysely.selectFrom('audit_log').select(['event', 'account_id']).execute()

describe('signing in', () => {
  test('the right password gives the account and notes the time', async () => {
    expect(await lastSignIn(ids.active)).toBeNull()
    expect(await signIn(schoolId, 'ada@example.com', 'the password')).toEqual({
      accountId: ids.active,
      signedInAt: expect.any(Number),
      hasSecondFactor: false,
    })
    expect(await lastSignIn(ids.active)).toBeInstanceOf(Date)
    expect(await audited()).toEqual([{ event: 'sign_in.succeeded', account_id: ids.active }])
  })

  for (const [who, email, password] of [
    ['a wrong password', 'ada@example.com', 'another password'],
    ['an unknown address', 'nobody@example.com', 'the password'],
    ['a disabled account', 'gone@example.com', 'the password'],
    ['an account without a password', 'new@example.com', 'the password'],
  ] as const) {
    test(`${who} is refused after the same work: one hash`, async () => {
      expect(await signIn(schoolId, email, password)).toBeUndefined()
      expect(hashed).toBe(1)
    })
  }

  test('an unknown address takes about as long as a wrong password', async () => {
    const time = async (email: string): Promise<number> => {
      const times = []
      for (let count = 0; count < 5; count++) {
        const begin = performance.now()
        await signIn(schoolId, email, 'another password')
        times.push(performance.now() - begin)
      }
      return Math.min(...times)
    }
    const [known, unknown] = [await time('ada@example.com'), await time('nobody@example.com')]
    // Without the hash it would be a fiftieth.
    expect(unknown).toBeGreaterThan(known / 3)
    expect(known).toBeGreaterThan(unknown / 3)
  })

  test('another school has other accounts', async () => {
    expect(await signIn(newId(), 'ada@example.com', 'the password')).toBeUndefined()
  })

  test('over-long passwords and impossible addresses are rejected without hashing', async () => {
    for (const [email, password] of [
      ['ada@example.com', 'x'.repeat(1025)],
      ['ada\u0000@example.com', 'the password'],
      ['\ud800@example.com', 'the password'],
      ['no address', 'the password'],
      [`${'a'.repeat(250)}@example.com`, 'the password'],
    ] as const) {
      expect(await signIn(schoolId, normaliseEmail(email), password)).toBeUndefined()
    }
    expect(hashed).toBe(0)
  })

  test('addresses are kept in lower case', () => {
    expect(normaliseEmail(' Ada@EXAMPLE.com\n')).toBe('ada@example.com')
    expect(normaliseEmail('ada@@example.com')).toBeUndefined()
  })
})

describe('the signed-in account', () => {
  test('is shown while the account is active, and not afterwards', async () => {
    expect(await findSignedInAccount(schoolDatabase(database, schoolId, 'person'), ids.active)).toEqual({
      name: 'Ada',
      email: 'ada@example.com',
      locale: null,
      time_zone: null,
      deletion_scheduled_at: null,
      sessions_valid_after: null,
      has_second_factor: false,
    })
    expect(await findSignedInAccount(schoolDatabase(database, schoolId, 'person'), ids.disabled)).toBeUndefined()
    const otherId = newId()
    expect(await findSignedInAccount(schoolDatabase(database, otherId, 'person'), ids.active)).toBeUndefined()
  })
})
