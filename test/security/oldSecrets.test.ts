import { createSecretKey } from 'node:crypto'
import { TOTP } from 'otpauth'
import { beforeAll, describe, expect, test } from 'vitest'
import { createKeyring, openWith } from '../../src/base/keyring.ts'
import { countSealed, lostOf, neededOf, sealedByPurpose } from '../../src/database/statements/sealedColumns.ts'
import { createOutbox } from '../../src/operate/compose/outbox.ts'
import { createSealedCheck } from '../../src/operate/serve/sealedCheck.ts'
import { auditOf, send, signedIn } from '../pages/account/account.ts'
import { createBrowser } from '../pages/browser.ts'
import { duringTests } from '../support/duringTests.ts'
import { password, rootSecret, startService } from '../support/service.ts'

const removed = createKeyring(['the secret that the operator has removed since'])
const current = createKeyring([rootSecret])
const both = createKeyring([rootSecret, 'the secret that the operator has removed since'])

const service = duringTests(() => startService({ people: [{ email }] }))
let secret = ''
const email = 'ada@example.org'

/** Seals a column again, with the secret that was removed. */
async function sealWithRemoved(purpose: Parameters<typeof removed.seal>[0], table: string, column: string, where = 'true'): Promise<void> {
  const { sql } = service.database
  for (const { at, value } of await sql.query<{ at: string; value: string }>(
    `SELECT ctid::text AS at, ${column} AS value FROM ${table} WHERE ${where}`,
  )) {
    const text = current.tryOpen(purpose, value)
    await sql.query(`UPDATE ${table} SET ${column} = $2 WHERE ctid = $1::tid`, [at, removed.seal(purpose, text ?? '')])
  }
}

beforeAll(async () => {
  const browser = await signedIn(service, email)
  const page = await browser.get('/account/security/app')
  secret = (/<output>([A-Z2-7 ]+)<\/output>/.exec(page.html)?.[1] ?? '').replaceAll(' ', '')
  const code = new TOTP({ secret, algorithm: 'SHA1', digits: 6, period: 30 }).generate({ timestamp: Date.now() - 30_000 })
  expect((await send(browser, page, { code })).status).toBe(200)
  await sealWithRemoved('authenticator apps', 'authenticator_app', 'secret')
})

describe('before an old secret is removed', () => {
  test('the values that still need it are counted, and those without its name', async () => {
    const counts = await countSealed(service.database.sql, both)
    expect(counts.map(({ what }) => what)).toEqual(Object.values(sealedByPurpose).flatMap((kept) => ('what' in kept ? [kept.what] : [])))
    expect(lostOf(counts)).toBe('')
    expect(neededOf(counts, 1)).toBe('1 authenticator apps')
    const check = createSealedCheck(service.database, both)
    await check.check()
    expect(check.summary()).toEqual({ older_secrets: ['1 authenticator apps'] })
    await service.database.sql.query('UPDATE recovery_code SET slow_hash = NULL')
    expect(neededOf(await countSealed(service.database.sql, both), 1)).toBe('1 authenticator apps, 10 recovery codes')
  })

  test('a value of release 1.0.0, which does not name its secret, is opened and counted in the same way', async () => {
    const { sql } = service.database
    await sql.query(`UPDATE authenticator_app SET secret = split_part(secret, '=', 1)`)
    const [row] = await sql.query<{ secret: string }>('SELECT secret FROM authenticator_app')
    expect(row?.secret).toMatch(/^[\w-]+$/)
    expect(both.tryOpen('authenticator apps', row?.secret ?? '')).toContain(secret)
    expect(neededOf(await countSealed(sql, both), 1)).toContain('1 authenticator apps')
  })

  test('release 1.0.0 opens what a process of this release sealed', () => {
    const sealed = current.seal('calendars', 'näher')
    expect(sealed).toMatch(/^[\w-]+=[\w-]{8}$/)
    expect(openWith(createSecretKey(current.keys('calendars')[0] ?? Buffer.alloc(0)), sealed)).toBe('näher')
  })
})

describe('after it was removed', () => {
  test('readiness says what no secret opens, with the numbers', async () => {
    await expect(createSealedCheck(service.database, current).check()).rejects.toThrow(
      'SECRET_KEY no longer opens 1 authenticator apps. Add the secret that was removed: SECRET_KEY=new,old',
    )
  })

  test('a code of the authenticator app is refused with another way, not with an error, and recorded', async () => {
    const browser = createBrowser(service.issuer)
    const page = await browser.follow(await send(browser, await browser.get('/account/sign-in'), { email, password }))
    const code = new TOTP({ secret, algorithm: 'SHA1', digits: 6, period: 30 }).generate()
    const answer = await send(browser, page, { code })
    expect(answer.status).toBe(409)
    expect(answer.html).toContain('Use a recovery code or a passkey, or ask the school to remove your second factor')
    expect(await auditOf(service, 'second_factor.unusable')).toHaveLength(1)
    expect(await auditOf(service, 'second_factor.failed')).toEqual([])
  })

  test('a session that cannot be opened counts as ended', async () => {
    await service.addPerson({ email: 'bob@example.org' })
    const browser = await signedIn(service, 'bob@example.org')
    await sealWithRemoved('artifacts', 'oidc_artifact', 'payload', "model = 'Session'")
    const answer = await browser.get('/account')
    expect([answer.status, answer.location?.pathname]).toEqual([303, '/account/sign-in'])
    const again = await signedIn(service, 'bob@example.org')
    expect((await again.get('/account/sessions')).status).toBe(200)
  })

  test('work that waits is tried again, and says why it failed', () => {
    const outbox = createOutbox({ database: service.database, keyring: current })
    expect(() => outbox.open(removed.seal('outbox', '{}'))).toThrow('no secret of SECRET_KEY opens it')
  })
})
