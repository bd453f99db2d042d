import { describe, expect, test } from 'vitest'
import { accountPaths } from '../../../src/base/accountPaths.ts'
import { inSchool } from '../../../src/database/school/inSchool.ts'
import { hashPassword } from '../../../src/identity/accounts/password.ts'
import type { PasswordTurn } from '../../../src/identity/accounts/passwordGate.ts'
import { signIn } from '../../../src/identity/accounts/signIn.ts'
import { isSessionOver, sessionTime } from '../../../src/identity/signIn/browserSessions.ts'
import { createAgent, personCalled, withToken } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { password, startService } from '../../support/service.ts'
import { createBrowser } from '../browser.ts'
import {
  auditOf,
  choosePassword,
  isSignedIn,
  newPassword,
  resetLink,
  send,
  signedIn,
  signUpLink,
  startEmailChange,
  withoutToken,
} from './account.ts'

const service = duringTests(() => startService({ schools: 2 }))

const account = (id: string) => service.database.kysely.selectFrom('account').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const change = (id: string, columns: object) => service.database.kysely.updateTable('account').set(columns).where('id', '=', id).execute()
const ask = async (email: string, issuer = service.issuer) => {
  const browser = createBrowser(issuer)
  return send(browser, await browser.get('/account/password'), { email })
}

describe('a forgotten password', () => {
  test('is replaced through the link: the old one is invalid, every browser is signed out, and the owner gets an e-mail', async () => {
    const { accountId } = await service.addPerson({ email: 'marlo@example.com' })
    const browsers = [await signedIn(service, 'marlo@example.com'), await signedIn(service, 'marlo@example.com')]
    const link = await resetLink(service, 'marlo@example.com')
    const opened = await createBrowser(service.issuer).get(link.href)
    expect(opened.html).toContain('value="marlo@example.com"')
    for (const browser of browsers) expect(await isSignedIn(browser)).toBe(true)

    expect((await choosePassword(service, link)).html).toContain('Your new password is set')
    for (const browser of browsers) expect(await isSignedIn(browser)).toBe(false)
    const refused = createBrowser(service.issuer)
    const form = await refused.get('/account/sign-in')
    expect((await send(refused, form, { email: 'marlo@example.com', password })).status).toBe(400)
    await signedIn(service, 'marlo@example.com', newPassword)
    const email = (await service.emails()).find(({ subject }) => subject.includes('was changed'))
    expect(email?.to).toBe('marlo@example.com')
    expect(email?.text).not.toContain('token=')
    expect((await auditOf(service, 'password.changed')).map(({ account_id }) => account_id)).toEqual([accountId])
    expect((await auditOf(service, 'password.reset_requested')).map(({ account_id }) => account_id)).toEqual([accountId])
  })

  test('leaves apps connected, or ends them where the box is ticked', async () => {
    await service.addPerson({ email: 'apps@example.com' })
    const agent = await createAgent(service.issuer)
    const { body } = await agent.tokens(personCalled('apps@example.com'))
    const call = async () => (await withToken(`${service.issuer}/api/v1/account`, body.access_token)).status
    await choosePassword(service, await resetLink(service, 'apps@example.com'))
    expect(await call()).toBe(200)
    await choosePassword(service, await resetLink(service, 'apps@example.com'), { disconnect: 'yes' })
    expect(await call()).toBe(401)
    expect((await agent.refresh(body.refresh_token)).status).toBe(400)
    expect(await auditOf(service, 'grant.revoked')).toHaveLength(1)
  })

  test('answers the same for known, unknown, disabled and unmailable addresses, in status, headers and body', async () => {
    await service.addPerson({ email: 'known@example.com' })
    const gone = await service.addPerson({ email: 'gone@example.com' })
    await change(gone.accountId, { disabled_at: new Date() })
    const before = (await service.emails()).length
    const seen = []
    for (const email of ['known@example.com', 'unknown@example.com', 'gone@example.com']) {
      const { status, headers, html } = await ask(email)
      const { date: _date, 'request-id': _id, 'content-length': _length, ...rest } = Object.fromEntries(headers)
      seen.push({ status, rest, html: withoutToken(html).replaceAll(email, 'ADDRESS') })
    }
    expect(seen[1]).toEqual(seen[0])
    expect(seen[2]).toEqual(seen[0])
    expect((await service.emails()).slice(before).map(({ to }) => to)).toEqual(['known@example.com'])
  })

  test('and its link belong to one school', async () => {
    await service.addPerson({ email: 'both@example.com' })
    await service.addPerson({ email: 'both@example.com', school: service.other })
    const link = await resetLink(service, 'both@example.com')
    expect(link.origin).toBe(service.issuer)
    const elsewhere = new URL(link)
    elsewhere.host = new URL(service.other).host
    expect((await createBrowser(service.other).get(elsewhere.href)).status).toBe(410)
    await choosePassword(service, link)
    await signedIn(service, 'both@example.com', newPassword)
    await signedIn(service, 'both@example.com', password, service.other)
  })

  test('is replaced once: neither that link nor another one that was sent before works again', async () => {
    await service.addPerson({ email: 'once@example.com' })
    const [first, second] = [await resetLink(service, 'once@example.com'), await resetLink(service, 'once@example.com')]
    await choosePassword(service, second)
    for (const link of [first, second]) expect((await createBrowser(service.issuer).get(link.href)).status).toBe(410)
  })

  test('two who use one link at the same time: one of them sets the password', async () => {
    await service.addPerson({ email: 'race@example.com' })
    const link = await resetLink(service, 'race@example.com')
    const secrets = ['first quiet lantern', 'second quiet lantern', 'third quiet lantern']
    const browsers = secrets.map(() => createBrowser(service.issuer))
    const pages = await Promise.all(browsers.map((browser) => browser.get(link.href)))
    const answers = await Promise.all(
      browsers.map((browser, at) =>
        send(browser, pages[at] as (typeof pages)[0], { password: secrets[at] as string, repeated: secrets[at] as string }),
      ),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 410, 410])
    await signedIn(service, 'race@example.com', secrets[answers.findIndex(({ status }) => status === 200)])
  })

  test('is not replaced for an account that was disabled, or whose address changed, since the link was sent', async () => {
    for (const columns of [{ disabled_at: new Date() }, { email: 'moved@example.com' }]) {
      const { accountId } = await service.addPerson({ email: 'stale@example.com' })
      const link = await resetLink(service, 'stale@example.com')
      await change(accountId, columns)
      expect((await choosePassword(service, link)).status).toBe(410)
      const { password_hash, sessions_valid_after } = await account(accountId)
      expect([password_hash, sessions_valid_after]).not.toContain(newPassword)
      expect(sessions_valid_after).toBeNull()
      await change(accountId, { email: `${accountId}@example.com`, disabled_at: new Date() })
      await service.database.kysely.deleteFrom('person').where('account_id', '=', accountId).execute()
    }
  })

  test('confirms the address, and calls off a change of it that was under way', async () => {
    const { accountId } = await service.addPerson({ email: 'pending@example.com' })
    await change(accountId, { email_verified: false, pending_email: 'thief@example.com' })
    await choosePassword(service, await resetLink(service, 'pending@example.com'))
    expect(await account(accountId)).toMatchObject({ email_verified: true, pending_email: null })
  })

  test('lets the person in again though attempts with the old one were used up', async () => {
    const limited = await startService({
      isLimited: true,
      server: { rate_limits: { sign_in_per_account: { requests: 1, window_seconds: 60 } } },
    })
    try {
      await limited.addPerson({ email: 'marlo@example.com' })
      const browser = createBrowser(limited.issuer)
      const page = await browser.get('/account/sign-in')
      for (const status of [400, 429])
        expect((await send(browser, page, { email: 'marlo@example.com', password: 'wrong' })).status).toBe(status)
      await choosePassword(limited, await resetLink(limited, 'marlo@example.com'), {}, createBrowser(limited.issuer))
      await signedIn(limited, 'marlo@example.com', newPassword)
    } finally {
      await limited.stop()
    }
  })

  test('leads back to the app that asked for a sign-in', async () => {
    await service.addPerson({ email: 'back@example.com' })
    const agent = await createAgent(service.issuer)
    const browser = createBrowser(service.issuer)
    const app = await browser.follow(await browser.get(agent.authorizationUrl().href))
    const href = /href="(\/account\/password\?[^"]*)"/.exec(app.html)?.[1] ?? ''
    const sent = await send(browser, await browser.get(href), { email: 'back@example.com' })
    expect(sent.html).toContain(`href="${app.url.pathname}"`)
    const link = new URL(/https?:\/\/\S+/.exec((await service.emails()).at(-1)?.text ?? '')?.[0] ?? '')
    expect(link.search).not.toContain('return_to')
    const done = await choosePassword(service, link, {}, browser)
    expect(done.html).toContain(`href="${app.url.pathname}"`)
    const again = await browser.get(app.url.pathname)
    const consent = await browser.follow(await send(browser, again, { email: 'back@example.com', password: newPassword }, /sign-in$/))
    expect(consent.html).toContain('Allow selected')
  })
})

test('a link is shown by the page that it was made for, and ended by every other page', async () => {
  const email = 'three.links@example.com'
  const { accountId } = await service.addPerson({ email })
  const [{ school } = { school: undefined }] = service.app.schools.all.filter((one) => one.school.issuer === service.issuer)
  if (!school) throw new Error('no school')
  const [message] = await startEmailChange(service, school, { accountId, email: 'another.address@example.com' })
  const links = {
    [accountPaths.newPassword]: await resetLink(service, email),
    [accountPaths.finishSignUp]: await signUpLink(service, 'newcomer@example.com'),
    [accountPaths.email]: new URL(/https?:\/\/\S+/.exec(message?.text ?? '')?.[0] ?? ''),
  }
  const browser = await signedIn(service, email)
  const shown = await Promise.all(
    Object.entries(links).flatMap(([own, link]) =>
      Object.keys(links).map(async (path) => {
        const { html } = await browser.get(`${path}${link.search}`)
        return [own === path, /<h1[^>]*>This link/.test(html)]
      }),
    ),
  )
  expect(shown).toHaveLength(9)
  for (const [isOwn, isEnded] of shown) expect(isEnded).toBe(!isOwn)
})

describe('requests for messages', () => {
  test('are limited by the address they go to, known or not, and by the address they come from', async () => {
    const limited = await startService({
      isLimited: true,
      server: {
        rate_limits: {
          message_per_recipient: { requests: 2, window_seconds: 60 },
          sign_up_per_address: { requests: 4, window_seconds: 60 },
          password_reset_per_address: { requests: 4, window_seconds: 60 },
        },
      },
    })
    try {
      await limited.addPerson({ email: 'known@example.com' })
      const browser = createBrowser(limited.issuer)
      const form = await browser.get('/account/password')
      const statuses = async (emails: string[], page = form) => {
        const all = []
        for (const email of emails) all.push((await send(browser, page, { email, name: 'A' })).status)
        return all
      }
      expect(await statuses(['known@example.com', 'known@example.com', 'known@example.com'])).toEqual([200, 200, 429])
      const signUp = await browser.get('/account/sign-up')
      expect(await statuses(['unknown@example.com', 'KNOWN@example.com', 'unknown@example.com', 'unknown@example.com'], signUp)).toEqual([
        200, 429, 200, 429,
      ])
      expect(await limited.emails()).toHaveLength(4)
      expect(await statuses(['a@example.com', 'b@example.com'], signUp)).toEqual([429, 429])
      expect(await statuses(['a@example.com', 'b@example.com'])).toEqual([200, 429])
      const refused = await send(browser, form, { email: 'c@example.com' })
      expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
    } finally {
      await limited.stop()
    }
  })
})

describe('a sign-in with the old password', () => {
  test('a sign-in with the old one that overlaps the change creates a session that has ended', async () => {
    const { accountId } = await service.addPerson({ email: 'slow@example.com' })
    const link = await resetLink(service, 'slow@example.com')
    const database = inSchool(service.database.kysely, service.schoolId())
    const overlapping: PasswordTurn = async (verify) => {
      await choosePassword(service, link)
      return verify()
    }
    const signedIn = (id: string) => ({ school_id: service.schoolId(), event: 'sign_in.succeeded' as const, account_id: id })
    const session = await signIn(database, 'slow@example.com', password, overlapping, signedIn)
    const { sessions_valid_after } = await account(accountId)
    expect(session?.accountId).toBe(accountId)
    expect(isSessionOver(session?.signedInAt, sessions_valid_after)).toBe(true)

    const later = await signIn(database, 'slow@example.com', newPassword, (verify) => verify(), signedIn)
    expect(isSessionOver(later?.signedInAt, sessions_valid_after)).toBe(false)
  })

  test('compares whole seconds: a session from the same second has ended, a later one has not', () => {
    const ended = new Date('2026-05-01T10:00:00.700Z')
    for (const now of ['2026-05-01T10:00:00.100Z', '2026-05-01T10:00:00.900Z', '2026-05-01T10:00:01.000Z']) {
      expect(isSessionOver(sessionTime(new Date(now), ended), ended)).toBe(false)
    }
    expect(isSessionOver(sessionTime(new Date('2026-05-01T10:00:00.999Z'), null), ended)).toBe(true)
    expect(isSessionOver(undefined, ended)).toBe(true)
    expect(isSessionOver(undefined, null)).toBe(false)
  })
})

test('an account without a password gets its first one this way', async () => {
  const { accountId } = await service.addPerson({ email: 'invited@example.com' })
  await change(accountId, { password_hash: null })
  await choosePassword(service, await resetLink(service, 'invited@example.com'))
  await signedIn(service, 'invited@example.com', newPassword)
  expect((await account(accountId)).password_hash).not.toBe(await hashPassword(newPassword))
})
