import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKeyring } from '../../../src/base/keyring.ts'
import type { EmailKind } from '../../../src/base/mail/emailKinds.ts'
import { emailTemplates } from '../../../src/base/mail/emailTemplates.ts'
import type { Notice, NoticeKind } from '../../../src/database/outbox/accountNotice.ts'
import { createOutbox } from '../../../src/operate/compose/outbox.ts'
import { send } from '../../pages/account/account.ts'
import { createBrowser } from '../../pages/browser.ts'
import { createAgent, personCalled } from '../../support/agent.ts'
import { rootSecret, startService, type TestService } from '../../support/service.ts'
import { exampleValues } from './exampleValues.ts'

const often = { requests: 10_000, window_seconds: 3600 }
const most = 5
let service: TestService
beforeAll(async () => {
  // The limits of addresses and operations are high, so that only the limits of e-mails decide.
  const names = ['sign_up_per_address', 'password_reset_per_address', 'registration', 'authorize', 'token', 'default', 'write', 'guess']
  const rate_limits = {
    ...Object.fromEntries(names.map((name) => [name, often])),
    message_per_recipient: { requests: most, window_seconds: 3600 },
    notice_per_account: { requests: most, window_seconds: 3600 },
  }
  service = await startService({ isLimited: true, server: { rate_limits } })
})
afterAll(() => service?.stop())

const sentTo = async (email: string): Promise<string[]> =>
  (await service.emails()).filter(({ to }) => to === email).map(({ subject }) => subject)
const countBySubject = async (email: string): Promise<number[]> =>
  Object.values(Object.groupBy(await sentTo(email), (subject) => subject)).map((all) => all?.length ?? 0)

describe('a hundred triggers send at most as many e-mails as the limit allows', () => {
  test.each([
    ['sign-ups', '/account/sign-up', 'new@example.com', false],
    ['sign-ups with a known address', '/account/sign-up', 'known@example.com', true],
    ['requests for a new password', '/account/password', 'forgetful@example.com', true],
  ])('%s', async (_what, path, email, isKnown) => {
    if (isKnown) await service.addPerson({ email })
    const browser = createBrowser(service.issuer)
    const page = await browser.get(path)
    const statuses: number[] = []
    for (let count = 0; count < 100; count++) statuses.push((await send(browser, page, { email, name: 'Wren' })).status)
    expect([statuses.filter((status) => status === 200).length, statuses.filter((status) => status === 429).length]).toEqual([
      most,
      100 - most,
    ])
    expect(await sentTo(email)).toHaveLength(most)
  })

  test('changes of the address by an app, also in turn with the page', async () => {
    await service.addPerson({ email: 'changing@example.com' })
    const agent = await createAgent(service.issuer)
    const { body } = await agent.tokens(
      personCalled('changing@example.com'),
      { scope: 'openid account:read account:write' },
      { scopes: 'all' },
    )
    const statuses = new Map<number, number>()
    for (let count = 0; count < 100; count++) {
      const path = count % 2 === 0 ? 'email' : 'email/resend'
      const { status } = await fetch(`${service.issuer}/api/v1/account/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${body.access_token}`, 'content-type': 'application/json' },
        body: count % 2 === 0 ? '{"email":"victim@example.com"}' : '{}',
      })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    expect(Object.fromEntries(statuses)).toEqual({ 202: most, 429: 100 - most })
    expect(await sentTo('victim@example.com')).toHaveLength(most)
  })

  test('deletions that an app schedules and cancels', async () => {
    await service.addPerson({ email: 'wavering@example.com' })
    const agent = await createAgent(service.issuer)
    const { body } = await agent.tokens(
      personCalled('wavering@example.com'),
      { scope: 'openid account:read account:write' },
      { scopes: 'all' },
    )
    const call = (method: string, path: string) =>
      fetch(`${service.issuer}/api/v1/account${path}`, { method, headers: { authorization: `Bearer ${body.access_token}` } })
    for (let count = 0; count < 50; count++) {
      expect((await call('DELETE', '')).status).toBe(202)
      expect((await call('POST', '/restore')).status).toBe(200)
    }
    const subjects = await sentTo('wavering@example.com')
    expect(subjects.filter((subject) => /will (?:not )?be deleted/.test(subject))).toHaveLength(2 * most)
    expect(Math.max(...(await countBySubject('wavering@example.com')))).toBe(most)
  })

  test('notices of each kind', async () => {
    const { accountId } = await service.addPerson({ email: 'busy@example.com' })
    const { afterCommit, kysely } = service.database
    const { defer } = createOutbox({ database: { afterCommit }, keyring: createKeyring([rootSecret]) })
    const kinds: Record<NoticeKind, number> = {
      new_sign_in: 100,
      app_connected: 10,
      app_connected_imitating: 10,
      app_connected_website: 10,
      app_connected_approved: 10,
      password_changed: 10,
      passkey_added: 10,
      passkey_removed: 10,
      authenticator_added: 10,
      authenticator_removed: 10,
      recovery_code_used: 10,
      recovery_codes_renewed: 10,
      deletion_requested: 10,
      deletion_canceled: 10,
    }
    for (const [kind, triggers] of Object.entries(kinds) as [NoticeKind, number][]) {
      const notice = { account_id: accountId, kind, at: new Date().toISOString(), values: exampleValues } as unknown as Notice
      for (let count = 0; count < triggers; count++) await defer(kysely, service.schoolId(), 'account_notice', notice)
    }
    const subjectOf = (kind: EmailKind): string => emailTemplates.en[kind].subject.replace('{school}', 'First School')
    const counts = Object.groupBy(await sentTo('busy@example.com'), (subject) => subject)
    for (const subject of new Set(Object.keys(kinds).map((kind) => subjectOf(kind as EmailKind)))) {
      const sharing = Object.keys(kinds).filter((kind) => subjectOf(kind as EmailKind) === subject).length
      expect([subject, counts[subject]?.length]).toEqual([subject, most * sharing])
    }
  })
})
