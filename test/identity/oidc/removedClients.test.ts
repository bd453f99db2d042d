// Proves RFC 6749 section 4.1.2.1: A registration that was cleaned up is distinguished from one that never existed

import { beforeEach, describe, expect, test } from 'vitest'
import { type Agent, createAgent, get } from '../../support/agent.ts'
import { databasesToTest } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startService } from '../../support/service.ts'

describe.each(await databasesToTest())('a registration that clean-up removed, on $name', ({ open }) => {
  const service = duringTests(() => startService({ open }))
  let agent: Agent
  beforeEach(async () => {
    agent = await createAgent(service.issuer)
    await sql("UPDATE oidc_client SET created_at = now() - interval '1 year' WHERE id = $1", [agent.clientId])
    await prune()
  })

  const sql = (text: string, values: unknown[] = []) => service.database.sql.query(text, values)
  const prune = () => service.app.jobs.find(({ name }) => name === 'prune_clients')?.run()
  const ask = async (parameters: Record<string, string | undefined> = {}, accept = 'text/html') =>
    get(agent.authorizationUrl(parameters).href, { accept })

  test('is called expired, on a page that leads nowhere and says how to recover in the common apps', async () => {
    const { status, headers, body } = await ask()
    expect([status, headers.get('location')]).toEqual([400, null])
    expect(body).toContain('This app&#39;s registration has expired')
    for (const way of ['Claude Code', '~/.mcp-auth', 'VS Code', 'Cursor', 'Codex', '/api/oauth/register']) expect(body).toContain(way)
    expect(body).toContain('error=invalid_client')
    expect(body).toMatch(/error_description=This client&#39;s registration expired and was removed on \d{4}-\d\d-\d\d\./)
    expect(body).not.toContain('client is invalid')
  })

  test('is reported as JSON to an agent that accepts JSON', async () => {
    const { status, body } = await ask({}, 'application/json')
    expect([status, body.error]).toEqual([400, 'invalid_client'])
    expect(body.error_description).toContain('registration expired')
    expect(body.error_description).toContain(`POST ${service.issuer}/api/oauth/register`)
  })

  test('is known by any port of its loopback address, and by no other address', async () => {
    expect((await ask({ redirect_uri: 'http://127.0.0.1:1/callback' })).body).toContain('registration has expired')
    for (const redirectUri of ['http://127.0.0.1:53682/other', 'https://evil.example/callback', '', undefined]) {
      const { status, headers, body } = await ask({ redirect_uri: redirectUri })
      expect([status, headers.get('location')]).toEqual([400, null])
      expect(body).not.toContain('registration has expired')
    }
  })

  test('keeps its id and hashes, and nothing that it said of itself', async () => {
    const [row] = await sql('SELECT * FROM oidc_client_tombstone WHERE id = $1', [agent.clientId])
    expect(Object.keys(row ?? {}).toSorted()).toEqual(['id', 'redirect_hashes', 'removed_at', 'school_id'])
    expect(JSON.stringify(row)).not.toContain('callback')
  })

  test('is forgotten after 90 days, and unknown from then on', async () => {
    await sql("UPDATE oidc_client_tombstone SET removed_at = now() - interval '91 days' WHERE id = $1", [agent.clientId])
    expect((await ask()).body).toContain('This app is not registered here')
    expect(await prune()).toEqual({ removed: 0, forgotten: 1 })
    expect(await sql('SELECT id FROM oidc_client_tombstone WHERE id = $1', [agent.clientId])).toEqual([])
  })
})

describe('a client_id that was never given out', () => {
  const service = duringTests(() => startService())

  test.each(['cli_gone', 'cli_00000000000000000000000000', 'a\u0000b', '\ud800', '%', 'x'.repeat(5000), '<script>', "' OR 1=1"])(
    'is not known, whatever it is, and the text says what to do: %j',
    async (clientId) => {
      const url = `${service.issuer}/oauth/authorize?client_id=${encodeURIComponent(clientId.toWellFormed())}&response_type=code&redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2Fc`
      const { status, headers, body } = await get(url, { accept: 'text/html' })
      expect([status, headers.get('location')]).toEqual([400, null])
      expect(body).toContain('This app is not registered here')
      expect(body).toContain('error_description=No client with this client_id is registered here.')
      expect(body).not.toContain('client is invalid')
    },
  )
})
