import { rm } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { createCli, schoolFile, writeConfig } from '../../operate/cli/cli.ts'
import { type Agent, agentOf, createAgent, personCalled, withToken } from '../../support/agent.ts'
import { openTestDatabase } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import type { Person } from '../../support/person.ts'
import { rootSecret, startService } from '../../support/service.ts'

/** A restore under another host name: two services with different issuers on the same database. */
describe('after the issuer of a school was changed', () => {
  const opened = duringTests(openTestDatabase)
  const old = duringTests(() => startService({ database: opened.database, people: [{ email: 'ada@example.org' }] }))
  const now = duringTests(() => startService({ database: opened.database }))
  const oldAgent = duringTests(() => createAgent(old.issuer))
  let agent: Agent
  let person: Person
  beforeAll(() => {
    person = personCalled('ada@example.org')
    agent = agentOf(now.issuer, oldAgent.clientId, oldAgent.clientSecret, oldAgent.redirectUri)
  })
  const refusal = () => ({
    status: 400,
    body: { error: 'invalid_grant', error_description: expect.stringContaining(`its issuer is ${now.issuer} now`) },
  })
  const addIssuerToNone = () => opened.database.sql.query(`UPDATE oidc_grant SET payload = payload - 'iss'`)

  test.each([
    ['of this release', async () => []],
    ['of an earlier release', addIssuerToNone],
  ])('a refresh token of a grant %s ends with invalid_grant and the new address, and works at the former one', async (_name, change) => {
    const { body: tokens } = await oldAgent.tokens(person)
    await change()
    expect(await agent.refresh(tokens.refresh_token)).toMatchObject(refusal())
    expect((await oldAgent.refresh(tokens.refresh_token)).status).toBe(200)
    const refused = await withToken(`${now.issuer}/api/v1/account`, tokens.access_token)
    expect([refused.status, refused.body.error_description]).toEqual([401, expect.stringContaining(`its issuer is ${now.issuer} now`)])
    expect((await withToken(`${old.issuer}/api/v1/account`, tokens.access_token)).status).toBe(200)
  })

  test('a new authorization at the new address works, without an answer from the former grant', async () => {
    const { body: tokens } = await agent.tokens(person)
    expect((await withToken(`${now.issuer}/api/v1/account`, tokens.access_token)).status).toBe(200)
    expect((await agent.refresh(tokens.refresh_token)).status).toBe(200)
  })

  test('grants move lets clients go on at the new address, for each resource, and is in the audit trail', async () => {
    const [all, mcp, legacy] = [await oldAgent.tokens(person), await oldAgent.tokens(person), await oldAgent.tokens(person)]
    const bound = await oldAgent.refresh(mcp.body.refresh_token, { resource: `${old.issuer}/mcp` })
    const CONFIG_DIR = await writeConfig({ 'schools/first.yaml': schoolFile(now.issuer, 'First School') })
    const cli = createCli({ variables: { CONFIG_DIR, DATA_DIR: CONFIG_DIR, SECRET_KEY: rootSecret }, database: opened.database })
    expect(await cli(['grants', 'move', '--from', now.issuer, '--yes'])).toMatchObject({ exitCode: 2 })
    expect(await cli(['grants', 'move', '--from', 'old.example.com', '--yes'])).toMatchObject({ exitCode: 2 })
    expect((await cli(['grants', 'move', '--from', 'https://other.example.com', '--yes'])).out).toContain('nothing was changed')
    expect(await cli(['grants', 'move', '--from', old.issuer])).toMatchObject({ exitCode: 2, err: expect.stringContaining('--yes') })
    const moved = await cli(['grants', 'move', '--from', old.issuer, '--yes'])
    expect(moved).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^\d+ grants are moved to /) })
    expect((await cli(['grants', 'move', '--from', old.issuer, '--yes'])).out).toContain('nothing was changed')
    await rm(CONFIG_DIR, { recursive: true })

    for (const { body } of [all, legacy]) {
      const refreshed = await agent.refresh(body.refresh_token)
      expect(refreshed.status).toBe(200)
      expect((await withToken(`${now.issuer}/api/v1/account`, refreshed.body.access_token)).status).toBe(200)
    }
    expect(bound.status).toBe(200)
    expect((await agent.refresh(bound.body.refresh_token)).status).toBe(200)
    const [entry] = await opened.database.sql.query<{ details: Record<string, unknown> }>(
      `SELECT details FROM audit_log WHERE event = 'operator.grants_moved' ORDER BY id DESC LIMIT 1`,
    )
    expect(entry?.details).toMatchObject({ from: old.issuer, to: now.issuer, operator: 'ops' })
  })
})
