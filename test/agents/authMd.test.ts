import { beforeAll, describe, expect, test } from 'vitest'
import { serverSchema } from '../../src/config/server.ts'
import words from '../../views/locales/en.json' with { type: 'json' }
import { allScopes, answer, get, postJson } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { startService } from '../support/service.ts'

// No value is the default one, so that none can be right by accident.
const lifetimes = {
  authorization_code_seconds: 41,
  handed_over_code_seconds: 97,
  access_token_seconds: 1234,
  id_token_seconds: 2345,
  refresh_token_days: 33,
  grant_days: 222,
  interaction_minutes: 17,
  sign_in_minutes: 7,
}
const registration = { never_used_days: 5, idle_days: 77 }
const oauth = { lifetimes, registration, refresh_window_seconds: 37, baseline_scopes: ['openid', 'courses:read'] }
const server = { rate_limits: { registration: { requests: 61, window_seconds: 3601 }, anonymous: { requests: 121, window_seconds: 61 } } }

const service = duringTests(() => startService({ oauth, server, isLimited: true }))
let text: string
beforeAll(async () => {
  text = (await get(`${service.issuer}/auth.md`)).body
})

describe('/auth.md', () => {
  test('is Markdown, can be cached and revalidated, and answers HEAD', async () => {
    const { status, headers } = await get(`${service.issuer}/auth.md`)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8'])
    expect((await get(`${service.issuer}/auth.md`, { 'if-none-match': headers.get('etag') as string })).status).toBe(304)
    expect((await fetch(`${service.issuer}/auth.md`, { method: 'HEAD' })).status).toBe(200)
    expect(text).toMatch(/^# auth\.md/)
  })

  test('names the box of the consent page for an app on another machine by its words', () => {
    expect(text).toContain(`“${words['consent.elsewhere']}”`)
  })

  test('names only addresses that answer, and those of the metadata', async () => {
    const { body: metadata } = await get(`${service.issuer}/.well-known/openid-configuration`)
    const named = [...text.matchAll(/http:\/\/127\.0\.0\.1:\d+(\/[\w./-]*)?/g)]
      .map(([url]) => url)
      .filter((url) => url.startsWith(service.issuer))
    for (const name of ['registration_endpoint', 'authorization_endpoint', 'token_endpoint', 'revocation_endpoint'])
      expect(text).toMatch(new RegExp(`${RegExp.escape(metadata[name].replace(service.issuer, ''))}[ ?]`))
    for (const url of new Set(named.filter((url) => new URL(url).pathname !== '/' && !url.endsWith('/mcp')))) {
      expect([url, (await fetch(url, { redirect: 'manual' })).status]).not.toEqual([url, 404])
    }
  })

  /** The rows of the table under a heading, each a list of its cells. */
  const rowsUnder = (heading: string): string[][] => {
    const section = text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
    const lines = section.split('\n').filter((line) => line.startsWith('| '))
    return lines.slice(2).map((line) => line.slice(2, -2).split(' | '))
  }
  const literal = (cell = ''): string => cell.replaceAll('`', '')

  test('lists exactly the scopes that the metadata advertise, in their order', async () => {
    const { body } = await get(`${service.issuer}/.well-known/oauth-authorization-server`)
    const section = text.split('\n## Scopes\n')[1]?.split('\n## ')[0] ?? ''
    const listed = [...section.matchAll(/^- ([\w:]+): [A-Z]/gm)].map(([, name]) => name)
    expect(listed).toEqual(body.scopes_supported)
    expect(listed).toEqual(allScopes.split(' '))
    const { body: resource } = await get(`${service.issuer}/.well-known/oauth-protected-resource`)
    expect(text).toContain(`sh school.sh begin '${resource.scopes_supported.join(' ')} account:read'`)
  })

  test('asks for the baseline of the metadata in its first request, and the baseline covers the first call', async () => {
    const own = await startService()
    const { body } = await get(`${own.issuer}/.well-known/oauth-protected-resource`)
    const page = (await get(`${own.issuer}/auth.md`)).body as string
    expect(/^sh school\.sh begin '([^']+)'/m.exec(page)?.[1]?.split(' ')).toEqual(body.scopes_supported)
    await own.stop()
  })

  test('lists the configured lifetimes', () => {
    const listed = rowsUnder('Lifetimes').map(([, time = '']) => Number.parseInt(time, 10))
    const {
      authorization_code_seconds: code,
      handed_over_code_seconds: copied,
      access_token_seconds: access,
      id_token_seconds: id,
      refresh_token_days: refresh,
    } = lifetimes
    expect(listed).toEqual([
      lifetimes.sign_in_minutes,
      lifetimes.interaction_minutes,
      code,
      access,
      id,
      refresh,
      lifetimes.grant_days,
      5,
      77,
    ])
    const elsewhere = [copied, 37]
    const everywhere = [...text.matchAll(/(\d+) (seconds|minutes|days)/g)].map(([, number]) => Number(number))
    expect(everywhere).toEqual(expect.arrayContaining(elsewhere))
    const windows = rowsUnder('Rate limits').map(([, , , window = '']) => Number.parseInt(window, 10))
    expect(everywhere.filter((number) => ![...listed, ...elsewhere, ...windows].includes(number))).toEqual([])
  })

  test('lists the current limits', async () => {
    const limits = new Map(rowsUnder('Rate limits').map(([name, , requests, window]) => [literal(name), [Number(requests), window]]))
    expect(limits.get('registration')).toEqual([61, '3601'])
    const policy = (await get(`${service.issuer}/api/v1/courses`)).headers.get('ratelimit-policy') as string
    const [, name = '', requests, window] = /"(\w+)";q=(\d+);w=(\d+)/.exec(policy) ?? []
    expect(limits.get(name)).toEqual([Number(requests), window])
    expect(loadedLimits()).toMatchObject(Object.fromEntries(limits))
  })

  test('lists every limit that a client can exceed, and none of people who sign in, fill in a form or comment on a page', () => {
    const listed = rowsUnder('Rate limits').map(([name]) => literal(name))
    const ofOthers =
      /^sign_in|^password_uses|^sign_up|^second_factor_|^password_reset|^message_|^notice_|^form_|^comment_|^introspection$|^bad_credentials$|^page$|^calendar$|^client_document_failures$/
    expect(listed).toEqual(Object.keys(loadedLimits()).filter((name) => !ofOthers.test(name)))
  })

  test('says how to reach the school, and links to its terms and its privacy policy', async () => {
    const kysely = service.database.kysely
    const contact = { contact_email: 'office@example.org', support_url: 'https://help.example.org/' }
    await kysely.updateTable('school').set(contact).where('id', '=', service.schoolId()).execute()
    const legal = { terms_url: 'https://example.org/terms', privacy_url: 'https://example.org/privacy' }
    await kysely
      .updateTable('school')
      .set({ legal: JSON.stringify(legal) })
      .where('id', '=', service.schoolId())
      .execute()
    await service.reload({})
    const more = ((await get(`${service.issuer}/auth.md`)).body as string).split('\n## More\n')[1] ?? ''
    for (const one of [contact.contact_email, contact.support_url, legal.terms_url, legal.privacy_url]) expect(more).toContain(one)
    expect(more).toMatch(/integration: `office@example\.org`/)
  })

  test('names each loopback host that a client may register', async () => {
    const hosts = ['127.0.0.1', '[::1]', 'localhost']
    const own = await startService({ oauth: { registration: { loopback_hosts: hosts } } })
    const page = (await get(`${own.issuer}/auth.md`)).body as string
    for (const host of hosts) expect(page).toContain(`\`http://${host}:<port>/<path>\``)
    expect(text).not.toContain('localhost')
    await own.stop()
  })

  test('shows no registration where it is off, and the script needs only the client_id of the school', async () => {
    const own = await startService({ oauth: { registration: { enabled: false } } })
    const page = (await get(`${own.issuer}/auth.md`)).body as string
    expect(page).not.toContain('/api/oauth/register')
    expect(page).toContain('client=THE-ID-THAT-THE-SCHOOL-GAVE-YOU')
    await own.stop()
  })

  test('lists the status of each error as the service returns it', async () => {
    const listed = new Map(rowsUnder('Errors').map(([status, error]) => [literal(error), Number(status)]))
    const wrong = await Promise.all([
      get(`${service.issuer}/api/v1/account`),
      get(`${service.issuer}/api/v1/account`, { authorization: 'Bearer no-token-at-all-but-long' }),
      postJson(`${service.issuer}/api/oauth/register`, { redirect_uris: ['https://app.example.com/callback'] }),
      postJson(`${service.issuer}/api/oauth/register`, { redirect_uris: ['http://127.0.0.1:1/'], token_endpoint_auth_method: 'other' }),
      form('/api/oauth/token', {}),
      form('/api/oauth/token', { grant_type: 'refresh_token', client_id: 'unknown', refresh_token: 'x' }),
    ])
    for (const { status, body } of wrong) expect([body.error, listed.get(body.error)]).toEqual([body.error, status])
    expect(new Set(wrong.map(({ body }) => body.error)).size).toBe(wrong.length)
  })

  test('says on its first screen what is not supported, and offers none of it', () => {
    const first = text.split('\n').slice(0, 20).join('\n')
    for (const absent of ['Claim step', 'ID-JAG', 'Device flow', 'API keys']) expect(first).toContain(absent)
    for (const literal of [
      'agent_auth',
      'identity_assertion',
      'service_auth',
      'anonymous',
      'identity_endpoint',
      'register_uri',
      'claim_uri',
    ]) {
      const [line, ...others] = first.split('\n').filter((one) => one.includes(`\`${literal}\``))
      expect([literal, line, others]).toEqual([literal, expect.stringMatching(/not supported: do not call|none: the person/), []])
    }
    expect(text).not.toMatch(/https?:\S*(?:identity|claim)/)
  })

  test('has the headings of the auth.md template in their order', () => {
    const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading)
    const wanted = ['Pick a method', 'Discover', 'Register', 'Use the token', 'Revocation', 'Errors']
    const places = wanted.map((words) => headings.findIndex((heading) => heading.includes(words)))
    expect(places).toEqual(places.toSorted((one, other) => one - other))
    expect(places).not.toContain(-1)
  })

  test('separates the sentence of a scope from its roles', () => {
    expect(text).not.toMatch(/\w\((?:lecturers|staff)/)
    expect(text).toMatch(/^- school:write: .* \(staff\)$/m)
  })

  test('is what the metadata call documentation', async () => {
    const { body } = await get(`${service.issuer}/.well-known/oauth-protected-resource`)
    expect(body.resource_documentation).toBe('https://docs.example.com')
    const own = await startService({ school: { docs_url: undefined } })
    expect((await get(`${own.issuer}/.well-known/openid-configuration`)).body.service_documentation).toBe(`${own.issuer}/auth.md`)
    await own.stop()
  })
})

const form = (path: string, fields: Record<string, string>) =>
  answer(fetch(service.issuer + path, { method: 'POST', body: new URLSearchParams(fields) }))

/** Every limit by its name, with the defaults of the configuration schema. */
function loadedLimits(): Record<string, [number, string]> {
  const limits = serverSchema.parse(server).rate_limits
  return Object.fromEntries(
    Object.entries(limits).map(([name, { requests, window_seconds }]) => [name, [requests, String(window_seconds)]]),
  )
}
