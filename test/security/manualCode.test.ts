import { beforeAll, describe, expect, test } from 'vitest'
import { createAgent, personCalled } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import type { Page, Person } from '../support/person.ts'
import { startService } from '../support/service.ts'
import { cookiesFor, fieldsOf, sendAs, toConsent } from './browsing.ts'

const email = 'learner@example.org'
const elsewhere = { yes: true }

/** Returns the values that the page offers for copying, by the id of the field. */
function copied({ html }: Pick<Page, 'html'>): { address: URL | undefined; code: string | undefined } {
  const value = (id: string) => new RegExp(`<output id="${id}"[^>]*>([^<]*)</output>`).exec(html)?.[1]?.replaceAll('&amp;', '&')
  const address = value('address')
  return { address: address === undefined ? undefined : new URL(address), code: value('code') }
}

describe('an answer that a person carries to an app on another machine', () => {
  const service = duringTests(() =>
    startService({
      school: {
        integrations: [{ client_id: 'mailer', client_name: 'Mailer', redirect_uris: ['https://mailer.example.com/cb'] }],
      },
    }),
  )
  const agent = duringTests(() => createAgent(service.issuer))
  beforeAll(async () => {
    await service.addPerson({ email })
  })

  const atConsent = (person: Person) => toConsent(agent, person, { email })
  const carry = async (person: Person): Promise<Page> => person.submit(await atConsent(person), /consent$/, elsewhere)

  test('is a page instead of a redirect, with address and code, and the app redeems it with its own secret', async () => {
    const page = await carry(personCalled(email))
    expect([page.status, page.leftFor]).toEqual([200, undefined])
    const { address, code } = copied(page)
    expect(address && address.origin + address.pathname).toBe(agent.redirectUri)
    expect(Object.fromEntries(address?.searchParams ?? [])).toMatchObject({ code, state: 'a-state', iss: service.issuer })
    const { status, body } = await agent.redeem(address as URL)
    expect([status, body.token_type]).toEqual([200, 'Bearer'])
  })

  test('is a separate step: without it no code is shown and the browser goes to the app', async () => {
    const person = personCalled(email)
    const page = await atConsent(person)
    expect(page.html).toMatch(/type="checkbox" id="elsewhere"(?![^>]*checked)/)
    expect((await person.submit(page, /consent$/)).leftFor?.searchParams.has('code')).toBe(true)
  })

  test('is useless without the code verifier of the request', async () => {
    const { address } = copied(await carry(personCalled(email)))
    const thief = await agent.redeem(address as URL, { code_verifier: 'a'.repeat(43) })
    expect([thief.status, thief.body.error]).toEqual([400, 'invalid_grant'])
  })

  test('works once: another use without the verifier is refused and ends what the first one opened', async () => {
    const { address } = copied(await carry(personCalled(email)))
    const first = await agent.redeem(address as URL)
    expect((await agent.redeem(address as URL, { code_verifier: 'x'.repeat(43) })).body.error).toBe('invalid_grant')
    expect((await agent.refresh(first.body.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('is the only one: reloading, coming back with old cookies or sending the form again shows the same code or none', async () => {
    const person = personCalled(email)
    const { address, fields } = fieldsOf(await atConsent(person), /consent$/)
    fields.set('elsewhere', 'yes')
    const before = cookiesFor(person, new URL(address).pathname)
    const resume = new URL((await sendAs(person, address, { fields })).headers.get('location') ?? '', service.issuer).href
    const resuming = cookiesFor(person, new URL(resume).pathname)
    const shown = await sendAs(person, resume)
    const { code } = copied({ html: await shown.text() })
    expect(code).toBeDefined()
    for (const answer of [
      await sendAs(person, resume),
      await sendAs(person, resume, { headers: { cookie: resuming } }),
      await sendAs(person, address, { fields, headers: { cookie: before } }),
    ]) {
      expect([code, undefined]).toContain(copied({ html: await answer.text() }).code)
    }
  })

  test('is kept nowhere: no cache, no referrer, no log, no audit trail', async () => {
    const page = await carry(personCalled(email))
    const { code = '' } = copied(page)
    expect(code.length).toBeGreaterThan(20)
    expect(page.url.href).not.toContain(code)
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(page.headers.get('location')).toBeNull()
    expect(service.log()).not.toContain(code)
    const rows = await service.database.sql.query<{ details: Record<string, unknown> }>('SELECT * FROM audit_log', [])
    expect(JSON.stringify(rows)).not.toContain(code)
    expect(rows.some(({ details }) => details?.handed_over === true)).toBe(true)
  })

  test('lives for the time that the configuration gives it', async () => {
    const page = await carry(personCalled(email))
    expect(page.html).toContain('within 5 min')
    const [row] = await service.database.sql.query<{ seconds: number }>(
      `SELECT extract(epoch FROM expires_at - now())::int AS seconds FROM oidc_artifact WHERE model = 'AuthorizationCode' ORDER BY created_at DESC LIMIT 1`,
      [],
    )
    expect(row?.seconds).toBeGreaterThan(290)
    expect(row?.seconds).toBeLessThanOrEqual(300)
  })

  test('a response that allows nothing is shown as a URL too, so that the app learns of it', async () => {
    const person = personCalled(email)
    const page = await person.submit(await atConsent(person), /refuse$/, elsewhere)
    const { address, code } = copied(page)
    expect([page.status, code]).toEqual([200, undefined])
    expect(Object.fromEntries(address?.searchParams ?? [])).toMatchObject({ error: 'access_denied', state: 'a-state', iss: service.issuer })
    expect(page.html).toContain('The app gets no access')
  })

  test('is for loopback addresses alone: a registered HTTPS callback shows no box, and a forged one is not looked at', async () => {
    const person = personCalled(email)
    const page = await toConsent(agent, person, {
      email,
      parameters: { client_id: 'mailer', redirect_uri: 'https://mailer.example.com/cb' },
    })
    expect(page.html).not.toContain('elsewhere')
    const { address, fields } = fieldsOf(page, /consent$/)
    fields.set('elsewhere', 'yes')
    const resume = new URL((await sendAs(person, address, { fields })).headers.get('location') ?? '', service.issuer).href
    const answer = await sendAs(person, resume)
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toContain('https://mailer.example.com/cb?code=')
  })

  test('keeps the query of the registered address, however it is written', async () => {
    const redirectUri = 'http://127.0.0.1:53682/callback?a=%20b&c'
    const other = await createAgent(service.issuer, { redirect_uris: [redirectUri] })
    const person = personCalled(email)
    const page = await toConsent(other, person, { email, parameters: { redirect_uri: redirectUri } })
    const { address } = copied(await person.submit(page, /consent$/, elsewhere))
    expect(address?.searchParams.get('a')).toBe(' b')
    expect((await other.redeem(address as URL, { redirect_uri: redirectUri })).status).toBe(200)
  })
})
