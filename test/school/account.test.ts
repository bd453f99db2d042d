import { describe, expect, test } from 'vitest'
import { newId } from '../../src/base/ids.ts'
import { saveClient } from '../../src/database/tables/clients.ts'
import { deleteDueAccounts } from '../../src/school/account/jobs/deleteDueAccounts.ts'
import type { Reply } from './demoApi.ts'
import { describeDemo } from './describeDemo.ts'

const owner = 'owner@example.com'
const learner = 'learner001@example.org'

describeDemo("one's own account, on $name", (api) => {
  const call = (method: string, path: string, as: string | undefined, body?: object): Promise<Reply> =>
    api.send(`/api/v1/account${path}`, { method, as, ...(body && { body }) })
  const rowOf = async (email: string) => {
    const [row] = await api.database.sql.query<Record<string, unknown> & { id: string }>(
      'SELECT * FROM account WHERE school_id = $1 AND email = $2',
      [api.school.id, email],
    )
    return row
  }
  const allow = async (email: string, name = 'Study helper') => {
    const account = await rowOf(email)
    const [clientId, grantId] = [newId(), newId()]
    await api.database.sql.query(`INSERT INTO oidc_client (school_id, id, registered_via, metadata) VALUES ($1, $2, 'self', $3::jsonb)`, [
      api.school.id,
      clientId,
      JSON.stringify({ client_name: name }),
    ])
    await api.database.sql.query(
      `INSERT INTO oidc_grant (school_id, id, account_id, client_id, payload, expires_at)
       VALUES ($1, $2, $3, $4, $5::jsonb, now() + interval '1 day')`,
      [
        api.school.id,
        grantId,
        account?.id,
        clientId,
        JSON.stringify({ openid: { scope: 'openid profile' }, resources: { x: 'courses:read' } }),
      ],
    )
    return { clientId, grantId }
  }

  describe('the address', () => {
    test('is changed by a link only; until then the account keeps the one it has', async () => {
      const reply = await call('POST', '/email', learner, { email: ' Fresh@Example.org ' })
      expect(reply).toMatchObject({ status: 202, json: { email: learner, pending_email: 'fresh@example.org' } })
      const again = await call('POST', '/email/resend', learner, {})
      expect([again.status, again.json.pending_email]).toEqual([202, 'fresh@example.org'])
      const emails = (await api.messages()).filter(({ to }) => to === 'fresh@example.org')
      expect(emails.map(({ kind }) => kind)).toEqual(['email_change', 'email_change'])
      expect(JSON.stringify(reply.json)).not.toContain('token')
    })

    test('an address in use gets the same response, and its owner gets a message', async () => {
      const reply = await call('POST', '/email', learner, { email: owner })
      expect(reply).toMatchObject({ status: 202, json: { pending_email: owner } })
      expect((await api.messages()).at(-1)).toMatchObject({ to: owner, kind: 'email_change_known' })
    })

    test('an address that mail cannot reach is rejected, and so is resending without a request', async () => {
      for (const email of ['x', 'a@b@c', 'a"b@example.org', 'ü@example.org', 'a@exa\u0000mple.org'])
        expect((await call('POST', '/email', learner, { email })).status).toBe(422)
      expect((await call('POST', '/email', learner, {})).status).toBe(422)
      expect((await call('POST', '/email/resend', 'learner002@example.org', {})).json.error).toBe('invalid_state')
    })
  })

  describe('connected apps', () => {
    test('is listed to its person alone, and ended by them alone', async () => {
      await allow(learner)
      const { json } = await call('GET', '/authorizations', learner)
      expect(json.data).toEqual([
        {
          id: expect.stringMatching(/^aut_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
          object: 'authorization',
          name: null,
          client: { client_id: expect.any(String), client_name: 'Study helper' },
          scopes: ['courses:read', 'openid', 'profile'],
          granted_at: expect.stringMatching(/Z$/),
          last_used_at: null,
          expires_at: expect.stringMatching(/Z$/),
          changes_30d: 0,
          paused_at: null,
        },
      ])
      const [{ id }] = json.data as [{ id: string }]
      expect((await call('GET', '/authorizations', owner)).json.data).toEqual([])
      const foreign = await call('DELETE', `/authorizations/${id}`, owner)
      const unknown = await call('DELETE', '/authorizations/aut_01jgwejj00e6srgkpqm2sqf05m', owner)
      expect([foreign.status, unknown.status, foreign.text.replace(id, '')]).toEqual([404, 404, unknown.text])
      expect((await call('DELETE', `/authorizations/${id}`, learner)).status).toBe(204)
      expect((await call('GET', '/authorizations', learner)).json.data).toEqual([])
      const [audit] = await api.database.sql.query<{ event: string }>(
        `SELECT event FROM audit_log WHERE school_id = $1 AND event LIKE 'account.%' ORDER BY id DESC LIMIT 1`,
        [api.school.id],
      )
      expect(audit?.event).toBe('account.revoke_authorization')
    })

    test.each(['', 'x', 'aut_', "aut_'", '%00', 'a'.repeat(61), '..%2F..'])('no app has the id %j', async (id) => {
      const { status } = await call('DELETE', `/authorizations/${id}`, learner)
      expect([400, 404, 405]).toContain(status)
    })
  })

  test('a session that is not there is not ended', async () => {
    expect((await call('GET', '/sessions', learner)).json).toMatchObject({ object: 'list', data: [] })
    expect((await call('DELETE', '/sessions/ses_01jgwejj00e6srgkpqm2sqf05m', learner)).status).toBe(404)
  })

  test('everything that is kept under the account is shown to its person, and no secret', async () => {
    await allow('learner003@example.org')
    await api.database.sql.query(`UPDATE account SET password_hash = '$argon2id$secret' WHERE school_id = $1`, [api.school.id])
    const reply = await call('GET', '/export', 'learner003@example.org')
    expect(reply).toMatchObject({
      status: 200,
      json: {
        object: 'account_export',
        account: { email: 'learner003@example.org', membership: { roles: ['learner'] }, notification_preferences: { billing: 'email' } },
        authorizations: [{ client: { client_name: 'Study helper' } }],
        sessions: [],
        files: [],
      },
    })
    expect(reply.text).not.toContain('argon2')
    expect(reply.text).not.toMatch(/password|sessions_valid_after|school_id/)
  })

  describe('deletion', () => {
    const due = async (email: string) => {
      await api.database.sql.query(`UPDATE account SET deletion_scheduled_at = now() WHERE school_id = $1 AND email = $2`, [
        api.school.id,
        email,
      ])
    }
    const ended: string[] = []
    const run = () => deleteDueAccounts(api.database, async (_writer, { grantId }) => void ended.push(grantId), 10)

    test('is scheduled after 14 days, announced by an e-mail that names the app, and can be cancelled', async () => {
      const as = 'learner004@example.org'
      await saveClient(api.database.kysely, {
        ...{ schoolId: api.school.id, id: 'cli_test', registeredVia: 'self' as const },
        metadata: { client_name: 'Study Helper' },
      })
      const before = Date.now()
      const asked = await call('DELETE', '', as)
      expect(asked.status).toBe(202)
      const days = (new Date(asked.json.deletion_scheduled_at as string).getTime() - before) / 86_400_000
      expect(Math.round(days)).toBe(14)
      expect((await api.messages()).at(-1)).toMatchObject({ to: as, kind: 'deletion_scheduled', links: { app: 'Study Helper' } })
      expect((await call('DELETE', '', as)).json.deletion_scheduled_at).toBe(asked.json.deletion_scheduled_at)
      expect((await call('POST', '/restore', as, {})).json.deletion_scheduled_at).toBeNull()
      expect(await run()).toBe(0)
      expect((await call('GET', '', as)).status).toBe(200)
    })

    test('is refused to the last owner', async () => {
      expect((await call('DELETE', '', owner)).json.error).toBe('last_owner')
    })

    test('leaves neither name nor address, ends what was allowed, and lets the address come back', async () => {
      const as = 'learner005@example.org'
      const account = await rowOf(as)
      const { grantId } = await allow(as)
      await due(as)
      expect((await call('GET', '', as)).status).toBe(401)
      expect(await Promise.all([run(), run()]).then(([one, other]) => one + other)).toBe(1)
      expect(ended).toEqual([grantId])
      expect(await rowOf(as)).toBeUndefined()
      const name = String(account?.name)
      for (const table of ['account', 'person', 'oidc_grant', 'mailed_link', 'staff']) {
        const rows = await api.database.sql.query(`SELECT * FROM ${table} WHERE school_id = $1`, [api.school.id])
        expect(JSON.stringify(rows)).not.toContain(as)
        expect(JSON.stringify(rows)).not.toContain(name)
      }
      expect(await run()).toBe(0)
    })
  })
})
