import { afterEach, describe, expect, test } from 'vitest'
import { type Agent, createAgent, get, personCalled } from '../support/agent.ts'
import type { Page } from '../support/person.ts'
import { password, type ServiceOptions, startService, type TestService } from '../support/service.ts'
import { fieldsOf, sendAs } from './browsing.ts'

const email = 'learner@example.org'
const window_seconds = 600

let service: TestService
let agent: Agent
async function start(
  rate_limits: object,
  options: { trusted_proxies?: string[]; schools?: ServiceOptions['schools'] } = {},
): Promise<void> {
  const { schools, ...server } = options
  service = await startService({ isLimited: true, server: { rate_limits, ...server }, ...(schools ? { schools } : {}) })
  await service.addPerson({ email })
  await service.addPerson({ email: 'other@example.org' })
  agent = await createAgent(service.issuer)
}
afterEach(() => service.stop())

/** Sends one attempt in a new browser from the given address. */
async function attempt(
  who: string,
  secret: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string; retryAfter: string | null }> {
  const person = personCalled(who)
  const page: Page = await person.open(agent.authorizationUrl().href)
  const { address, fields } = fieldsOf(page, /sign-in$/)
  fields.set('email', who)
  fields.set('password', secret)
  const answer = await sendAs(person, address, { fields, headers })
  return { status: answer.status, text: plain(await answer.text()), retryAfter: answer.headers.get('retry-after') }
}

/** Returns a page without the parts that differ between browsers and forms. */
const plain = (html: string): string => html.replaceAll(/ value="[^"]*"/g, '').replaceAll(/interaction(\/|%2F)[\w-]+/g, '')

const from = (address: string) => ({ 'x-forwarded-for': address })

describe('attempts to sign in (D30)', () => {
  test('every failure is the same page: unknown, wrong, without password, disabled, overlong, not an address', async () => {
    await start({})
    await service.addPerson({ email: 'disabled@example.org' })
    await service.addPerson({ email: 'nameless@example.org' })
    await service.database.sql.query("UPDATE account SET disabled_at = now() WHERE email = 'disabled@example.org'")
    await service.database.sql.query("UPDATE account SET password_hash = NULL WHERE email = 'nameless@example.org'")
    const answers = [
      await attempt(email, 'wrong'),
      await attempt('nobody@example.org', password),
      await attempt('disabled@example.org', password),
      await attempt('nameless@example.org', password),
      await attempt(email, ''),
      await attempt(email, 'x'.repeat(10_000)),
      await attempt('no address', password),
      await attempt('\0@example.org', password),
    ]
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  })

  test('are limited by account and network: from any address of the network, with any spelling, and the right password does not help', async () => {
    await start(
      { sign_in_per_account: { requests: 3, window_seconds }, sign_in_per_address: { requests: 1000, window_seconds } },
      { trusted_proxies: ['loopback'] },
    )
    const spellings = [email, email.toUpperCase(), ` ${email} `]
    for (const [at, who] of spellings.entries()) expect((await attempt(who, 'wrong', from(`198.51.100.${at}`))).status).toBe(400)
    for (const secret of ['wrong', password]) {
      const refused = await attempt(email, secret, from('198.51.100.77'))
      expect(refused.status).toBe(429)
      expect(Number(refused.retryAfter)).toBeGreaterThan(0)
    }
    expect((await attempt('other@example.org', password, from('203.0.113.7'))).status).toBe(303)
  })

  test('an unknown account is limited like a known one: the limit does not reveal which accounts exist', async () => {
    await start({ sign_in_per_account: { requests: 2, window_seconds } })
    const [known, unknown] = [[], []] as { status: number; text: string }[][]
    for (let count = 0; count < 3; count += 1) {
      known?.push(await attempt(email, 'wrong'))
      unknown?.push(await attempt('nobody@example.org', 'wrong'))
    }
    expect(known?.map(({ status }) => status)).toEqual([400, 400, 429])
    expect(unknown?.map(({ status, text }) => [status, text])).toEqual(known?.map(({ status, text }) => [status, text]))
  })

  test('are limited by address over all accounts, before the password is checked', async () => {
    await start({ sign_in_per_address: { requests: 4, window_seconds } }, { trusted_proxies: ['loopback'] })
    for (let count = 0; count < 4; count += 1)
      expect((await attempt(`nobody${count}@example.org`, 'wrong', from('198.51.100.9'))).status).toBe(400)
    expect((await attempt(email, password, from('198.51.100.9'))).status).toBe(429)
    expect((await attempt(email, password, from('198.51.100.10'))).status).toBe(303)
  })

  test('from one IPv6 prefix count together', async () => {
    await start({ sign_in_per_address: { requests: 2, window_seconds } }, { trusted_proxies: ['loopback'] })
    for (const end of ['1', 'ffff:1']) expect((await attempt('nobody@example.org', 'wrong', from(`2001:db8:1:2::${end}`))).status).toBe(400)
    expect((await attempt('nobody@example.org', 'wrong', from('2001:db8:1:2:a:b:c:d'))).status).toBe(429)
    expect((await attempt('nobody@example.org', 'wrong', from('2001:db8:1:3::1'))).status).toBe(400)
  })

  test('for one account at one school do not lock the same address at another school', async () => {
    await start({ sign_in_per_account: { requests: 2, window_seconds } }, { schools: 2 })
    await service.addPerson({ email, school: service.other })
    for (const status of [400, 400, 429]) expect((await attempt(email, 'wrong')).status).toBe(status)
    agent = await createAgent(service.other)
    expect((await attempt(email, password)).status).toBe(303)
  })
})

describe('forwarded headers of a peer that is not a trusted proxy (D31)', () => {
  const forged = (at: number): Record<string, string> => ({
    'x-forwarded-for': `198.51.100.${at}`,
    forwarded: `for=198.51.100.${at}`,
    'x-real-ip': `198.51.100.${at}`,
    'x-client-ip': `198.51.100.${at}`,
    'cf-connecting-ip': `198.51.100.${at}`,
    'true-client-ip': `198.51.100.${at}`,
  })

  test('change no bucket: not of sign-in, registration, token, introspection or the API', async () => {
    const three = { requests: 3, window_seconds }
    await start({
      sign_in_per_address: three,
      registration: { requests: 4, window_seconds },
      token: three,
      introspection: three,
      anonymous: three,
    })
    const asks: [string, (at: number) => Promise<number>][] = [
      ['sign-in', async (at) => (await attempt(`nobody${at}@example.org`, 'x', forged(at))).status],
      [
        'registration',
        async (at) =>
          (
            await fetch(`${service.issuer}/api/oauth/register`, {
              method: 'POST',
              headers: { 'content-type': 'application/json', ...forged(at) },
              body: '{"redirect_uris":["http://127.0.0.1:1/x"]}',
            })
          ).status,
      ],
      ['token', async (at) => (await agent.post('/api/oauth/token', { grant_type: 'x' }, forged(at))).status],
      ['introspection', async (at) => (await agent.post('/api/oauth/introspect', { token: 'x' }, forged(at))).status],
      ['the API', async (at) => (await get(`${service.issuer}/api/v1/courses`, forged(at))).status],
    ]
    for (const [name, ask] of asks) {
      const statuses = [await ask(1), await ask(2), await ask(3), await ask(4), await ask(5)]
      expect([name, statuses.slice(0, 3).includes(429), statuses.slice(3)]).toEqual([name, false, [429, 429]])
    }
  })

  test('change neither issuer nor scheme nor host of any document, redirect or cookie, and no audited address', async () => {
    await start({})
    const headers = {
      ...forged(1),
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      'x-forwarded-port': '444',
      'x-forwarded-prefix': '/evil',
      'x-original-url': '/api/oauth/jwks',
      'x-rewrite-url': '/api/oauth/jwks',
      'x-http-method-override': 'DELETE',
    }
    const document = await get(`${service.issuer}/.well-known/openid-configuration`, headers)
    expect(document.body.token_endpoint).toBe(`${service.issuer}/api/oauth/token`)
    const authorization = await get(agent.authorizationUrl().href, headers)
    expect(authorization.headers.get('location')).toMatch(/^\/oauth\/interaction\/[\w-]+$|^http:\/\/127\.0\.0\.1:\d+\/oauth\/interaction\//)
    expect(authorization.headers.getSetCookie().join()).not.toContain('evil')
    await agent.post('/api/oauth/token', { grant_type: 'refresh_token', refresh_token: 'x' }, headers)
    const addresses = await service.database.sql.query<{ address: string }>('SELECT DISTINCT address FROM audit_log')
    expect(addresses.map(({ address }) => address.replace('::ffff:', ''))).toEqual(['127.0.0.1'])
  })

  test('behind a trusted proxy the nearest address that no proxy vouched for counts, not the first that the caller wrote', async () => {
    await start({ anonymous: { requests: 2, window_seconds } }, { trusted_proxies: ['loopback'] })
    const ask = async (chain: string): Promise<number> => (await get(`${service.issuer}/api/v1/courses`, from(chain))).status
    expect([await ask('1.1.1.1, 203.0.113.5'), await ask('2.2.2.2, 203.0.113.5'), await ask('3.3.3.3, 203.0.113.5')]).toEqual([
      200, 200, 429,
    ])
    expect(await ask('nonsense, 203.0.113.5')).toBe(429)
    expect(await ask('203.0.113.6')).toBe(200)
  })
})
