import { beforeEach, describe, expect, test } from 'vitest'
import { type Agent, createAgent, personCalled } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { formsOf, type Person } from '../support/person.ts'
import { password, startService } from '../support/service.ts'
import { fieldsOf, toConsent } from './browsing.ts'

const email = 'owner@example.com'

describe('a person who has granted scopes to an app before', () => {
  const service = duringTests(() =>
    startService({
      people: [
        { email, role: 'owner' },
        { email: 'admin@example.com', role: 'admin' },
      ],
    }),
  )
  let agent: Agent
  let person: Person
  beforeEach(async () => {
    agent = await createAgent(service.issuer)
    person = personCalled(email)
  })

  const asked = (scope: string, more: Record<string, string> = {}) => ({ email, parameters: { scope, ...more } })
  const grant = async (scope: string, more: Record<string, string> = {}): Promise<string> => {
    const { body } = await agent.redeem(
      await agent.send(person, { scope, ...more }, { scopes: 'all' }),
      more.resource === undefined ? {} : { resource: more.resource },
    )
    return body.scope
  }

  /** Returns the boxes of new scopes and of granted scopes, with their ticks. */
  async function question(scope: string, more: Record<string, string> = {}) {
    const page = await toConsent(agent, person, asked(scope, more))
    const from = page.html.indexOf('<details class="before"')
    const before = from === -1 ? '' : page.html.slice(from, page.html.indexOf('<details class="technical"'))
    const boxes = (html: string): Record<string, boolean> =>
      Object.fromEntries(
        formsOf(`<form>${html}</form>`)
          .flatMap(({ fields }) => fields)
          .filter(({ name }) => name === 'scope')
          .map(({ value, checked }) => [value, checked]),
      )
    return {
      page,
      before: boxes(before),
      fresh: boxes(page.html.replace(before, '')),
      isOpen: before.startsWith('<details class="before" open>'),
    }
  }

  test('is asked only for the new scopes; granted scopes are listed separately and ticked, write scopes included', async () => {
    await grant('openid courses:read courses:write')
    const { fresh, before, isOpen, page } = await question('openid courses:read courses:write school:read school:write')
    expect(fresh).toEqual({ 'school:read': false, 'school:write': false })
    expect(before).toEqual({ 'courses:read': true, 'courses:write': true })
    expect(isOpen).toBe(false)
    expect(page.html).toContain('You already allowed 2 permissions, including 1 that lets the app make changes')
  })

  test('gives nothing with a session that the account has ended since the page was shown, and signs in again', async () => {
    const page = await toConsent(agent, person, asked('openid courses:read'))
    const sql = service.database.sql
    const grants = async () => (await sql.query('SELECT id FROM oidc_grant WHERE client_id = $1', [agent.clientId])).length
    await sql.query("UPDATE account SET sessions_valid_after = now() + interval '1 second' WHERE email = $1", [email])
    try {
      const refused = await person.submit(page, /consent$/)
      expect([refused.leftFor, await grants()]).toEqual([undefined, 0])
      expect(refused.html).toContain('type="password"')
    } finally {
      await sql.query('UPDATE account SET sessions_valid_after = NULL WHERE email = $1', [email])
    }
  })

  test('is always asked, also where nothing is new, and sees then what it is', async () => {
    await grant('openid courses:read')
    const { page, fresh, before, isOpen } = await question('openid courses:read')
    expect(page.leftFor).toBeUndefined()
    expect([fresh, before, isOpen]).toEqual([{}, { 'courses:read': true }, true])
    expect(page.html).toContain('You have already allowed everything that the app asks for')
  })

  test('grants what is ticked and was asked for, and nothing that was allowed but not asked for again', async () => {
    await grant('openid courses:read courses:write profile')
    const { page } = await question('openid courses:read school:read')
    const done = await person.submit(page, /consent$/, { 'school:read': true })
    const { body } = await agent.redeem(done.leftFor as URL)
    expect(body.scope.split(' ').toSorted()).toEqual(['courses:read', 'openid', 'school:read'])
  })

  test('can take out of this time what was allowed before; the earlier grant keeps it', async () => {
    const first = await agent.tokens(person, { scope: 'openid courses:read' })
    const { page } = await question('openid courses:read')
    const done = await person.submit(page, /consent$/, { 'courses:read': false })
    expect((await agent.redeem(done.leftFor as URL)).body.scope).toBe('openid')
    expect((await agent.refresh(first.body.refresh_token)).body.scope.split(' ').toSorted()).toEqual(['courses:read', 'openid'])
  })

  test('gets nothing back that was revoked: a grant that ended counts for nothing', async () => {
    const { body } = await agent.tokens(person, { scope: 'openid courses:write' }, { scopes: 'all' })
    await agent.post('/api/oauth/revoke', { token: body.refresh_token })
    const { fresh, before } = await question('openid courses:write')
    expect([fresh, before]).toEqual([{ 'courses:write': false }, {}])
  })

  test('is another person: what somebody else allowed in the same browser counts for nothing', async () => {
    await grant('openid courses:write')
    const page = await toConsent(agent, person, asked('openid courses:write'))
    const other = await person.submit(await person.open(`${page.url.href}?account=other`), /sign-in$/, {
      email: 'admin@example.com',
      password,
    })
    expect(other.html).toContain('admin@example.com')
    expect(other.html).not.toContain('<details class="before"')
    expect(fieldsOf(other, /consent$/).fields.getAll('scope')).toEqual([])
  })

  test('is another app: what one client was allowed counts for no other', async () => {
    await grant('openid courses:write')
    agent = await createAgent(service.issuer)
    expect((await question('openid courses:write')).before).toEqual({})
  })

  test('allowed it for one resource: for another it is a new question', async () => {
    const mcp = `${service.issuer}/mcp`
    expect(await grant('courses:read courses:write', { resource: mcp })).toBe('courses:read courses:write')
    expect((await question('courses:read courses:write', { resource: mcp })).before).toEqual({
      'courses:read': true,
      'courses:write': true,
    })
    expect((await question('courses:read courses:write', { resource: service.issuer })).before).toEqual({})
    expect((await question('courses:read courses:write')).before).toEqual({})
  })

  test('has lost the role since: what it cannot grant any more is struck out, and forging it in gives nothing', async () => {
    await grant('openid courses:write courses:read')
    const set = (status: string) =>
      service.database.sql.query(
        `UPDATE staff SET status = $2 WHERE person_id IN (SELECT id FROM person WHERE school_id = $1 AND email = '${email}')`,
        [service.schoolId(), status],
      )
    await set('removed')
    try {
      const { page, before, fresh } = await question('openid courses:write courses:read')
      expect([before, fresh]).toEqual([{ 'courses:read': true }, {}])
      expect(page.html).toContain('<li class="struck" data-scope="courses:write">')
      const answer = await person.submit({ ...page, html: forged(page.html, 'courses:write') }, /consent$/)
      expect((await agent.redeem(answer.leftFor as URL)).body.scope.split(' ').toSorted()).toEqual(['courses:read', 'openid'])
    } finally {
      await set('active')
    }
  })
})

/** Returns the page with another checkbox in its form, as a person could add it in the browser. */
const forged = (html: string, scope: string): string =>
  html.replace(
    '<input type="hidden" name="csrf"',
    `<input type="checkbox" name="scope" value="${scope}" checked><input type="hidden" name="csrf"`,
  )
