import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { toPublicId } from '../../../src/base/ids.ts'
import { createLog } from '../../../src/base/log/log.ts'
import { runJob } from '../../../src/operate/jobs/schedule.ts'
import { send, signedIn } from '../../pages/account/account.ts'
import { field } from '../../pages/browser.ts'
import { type Agent, agentOf, allScopes, createAgent, personCalled } from '../../support/agent.ts'
import { documentedCommands } from '../../support/documentedCommand.ts'
import { duringTests } from '../../support/duringTests.ts'
import { password } from '../../support/service.ts'
import { placesToTest, schoolFile } from './cli.ts'

/** A grant of a new person to a client, and the tokens. */
interface Granted {
  email: string
  accountId: string
  personId: string
  agent: Agent
  tokens: { access_token: string; refresh_token: string }
  /** The redirect with the code. */
  redirect: URL
}

const filed = { client_id: 'filed', client_name: 'Filed', redirect_uris: ['http://127.0.0.1:53682/callback'] }

describe.each(await placesToTest())('the audit trail of a grant that ended, $name', ({ open }) => {
  const place = duringTests(open)
  let count = 0
  beforeAll(async () => {
    await place.service.addPerson({ email: 'owner@example.org', role: 'owner' })
  })

  const cli = async (...args: string[]): Promise<void> => {
    const { exitCode, err } = await place.cli([...args, '--yes'])
    expect([exitCode, err]).toEqual([0, expect.anything()])
  }
  async function granted(agent?: Agent): Promise<Granted> {
    const email = `person${++count}@example.org`
    const person = await place.service.addPerson({ email })
    const client = agent ?? (await createAgent(place.service.issuer))
    const redirect = await client.send(personCalled(email), { scope: 'openid account:read account:write' }, { scopes: 'all' })
    const { body } = await client.redeem(redirect)
    expect(body).toHaveProperty('refresh_token')
    return { ...person, email, agent: client, tokens: body, redirect }
  }
  const call = async (path: string, token: string, method = 'DELETE') =>
    fetch(`${place.service.issuer}/api/v1${path}`, { method, headers: { authorization: `Bearer ${token}` } })
  const runOwnJob = async (name: string) => {
    const job = place.service.app.jobs.find((one) => one.name === name)
    if (!job) throw new Error(`no job ${name}`)
    await runJob(job, createLog('silent'))
  }
  const ownerToken = async (): Promise<string> => {
    const agent = await createAgent(place.service.issuer)
    return (await agent.tokens(personCalled('owner@example.org'), { scope: allScopes }, { scopes: 'all' })).body.access_token
  }
  const owner = () => signedIn(place.service, 'owner@example.org')
  const onSchoolPage = async (action: string, { agent }: Granted) => {
    const browser = await owner()
    const { html } = await browser.get('/account/school/apps')
    const answer = await browser.post(`/account/school/apps/${action}`, {
      csrf: field(html, 'csrf'),
      client: agent.clientId,
      list: 'connected',
    })
    expect(answer.status).toBe(303)
  }

  /** Each way in which a grant can end before its time, with the entry that names who did it. */
  const ways: Record<string, { end(grant: Granted): Promise<unknown>; entry(grant: Granted): object; of?(): Promise<Granted> }> = {
    'the person, on the page of the connected apps': {
      async end({ email, agent }) {
        const browser = await signedIn(place.service, email)
        const { html } = await browser.get('/account/apps')
        expect((await browser.post('/account/apps/remove', { csrf: field(html, 'csrf'), client: agent.clientId })).status).toBe(303)
      },
      entry: () => ({ event: 'grant.revoked', details: { by: 'person' } }),
    },
    'the person, who changes the password and disconnects all apps': {
      async end({ email }) {
        const browser = await signedIn(place.service, email)
        const page = await browser.get('/account/login')
        const next = 'four lanterns over the quiet pond'
        const fields = { current: password, password: next, repeated: next, disconnect: 'on' }
        expect((await send(browser, page, fields, /password/)).status).toBe(303)
      },
      entry: () => ({ event: 'grant.revoked', details: { by: 'person' } }),
    },
    'an app, through the API': {
      async end({ tokens }) {
        const list = (await (await call('/account/authorizations', tokens.access_token, 'GET')).json()) as { data: { id: string }[] }
        expect((await call(`/account/authorizations/${list.data[0]?.id}`, tokens.access_token)).status).toBe(204)
      },
      entry: ({ agent }) => ({
        event: 'grant.revoked',
        details: { by: 'api', client: agent.clientId },
        request_id: expect.stringMatching(/^req_/),
      }),
    },
    'the app itself, with its token': {
      end: ({ agent, tokens }) => agent.post('/api/oauth/revoke', { token: tokens.refresh_token }),
      entry: () => ({ event: 'token.revoked' }),
    },
    'somebody who presents the code again without its verifier': {
      end: ({ agent, redirect }) => agent.redeem(redirect, { code_verifier: 'x'.repeat(43) }),
      entry: () => ({ event: 'code.replayed' }),
    },
    'somebody who presents a used refresh token': {
      async end({ agent, tokens }) {
        const { body } = await agent.refresh(tokens.refresh_token)
        await agent.refresh(body.refresh_token)
        // After the window, within which a repetition gets the same response.
        await place.service.database.sql.query(
          `UPDATE oidc_artifact SET consumed_at = now() - interval '1 hour', successor_until = successor_until - interval '1 hour'
            WHERE model = 'RefreshToken' AND consumed_at IS NOT NULL`,
        )
        await agent.refresh(tokens.refresh_token)
      },
      entry: () => ({ event: 'refresh_token.reused' }),
    },
    'the staff, who end the access of the app': {
      end: (grant) => onSchoolPage('end', grant),
      entry: () => ({ event: 'grant.revoked', details: { by: 'school', staff: expect.any(String) } }),
    },
    'the staff, who disable the app': {
      end: (grant) => onSchoolPage('disable', grant),
      entry: () => ({ event: 'school.app_disabled', account_id: expect.any(String) }),
    },
    'the staff, who erase the person': {
      async end({ personId }) {
        const answer = await call(`/students/${toPublicId('std', personId)}`, await ownerToken())
        expect([answer.status, answer.ok]).toEqual([answer.status, true])
      },
      entry: () => ({ event: 'grant.revoked', details: { by: 'school', staff: expect.any(String), client: expect.any(String) } }),
    },
    'the scheduled deletion of the account': {
      async end({ accountId }) {
        await place.service.database.kysely
          .updateTable('account')
          .set({ deletion_scheduled_at: new Date(Date.now() - 1000) })
          .where('id', '=', accountId)
          .execute()
        await runOwnJob('delete_accounts')
      },
      entry: () => ({ event: 'grant.revoked', details: { by: 'deletion' } }),
    },
    'an operator, who revokes it': {
      end: ({ email }) => cli('grants', 'revoke', '--person', email),
      entry: () => ({ event: 'operator.grant_revoked', details: { operator: 'ops' } }),
    },
    'an operator, who disables the person': {
      end: ({ email }) => cli('people', 'disable', email),
      entry: () => ({ event: 'operator.grants_revoked', details: { operator: 'ops', grants: 1 } }),
    },
    'an operator, who erases the person': {
      end: ({ email }) => cli('people', 'erase', email),
      entry: () => ({ event: 'operator.grant_revoked', details: { operator: 'ops' } }),
    },
    'an operator, who disables the client': {
      end: ({ agent }) => cli('clients', 'disable', agent.clientId),
      entry: () => ({ event: 'operator.client_disabled', details: { operator: 'ops' } }),
    },
    'an operator, who deletes the client': {
      end: ({ agent }) => cli('clients', 'delete', agent.clientId),
      entry: () => ({ event: 'operator.client_deleted', details: { operator: 'ops' } }),
    },
    'an operator, who removes the integration from the file': {
      async of() {
        await place.service.reload({ school: { integrations: [filed] } })
        return granted(agentOf(place.service.issuer, 'filed', undefined, 'http://127.0.0.1:53682/callback'))
      },
      async end() {
        await place.service.reload({ school: {} })
        await writeFile(join(place.config, 'schools/first.yaml'), schoolFile(place.service.issuer, 'First School'))
      },
      entry: () => ({ event: 'client.disabled_by_file' }),
    },
  }

  test.each(Object.entries(ways))('%s: the command of docs/operate.md prints it', async (_who, { end, entry, of = granted }) => {
    const grant = await of()
    const [{ id } = { id: '' }] = await place.service.database.kysely
      .selectFrom('oidc_grant')
      .select('id')
      .where('account_id', '=', grant.accountId)
      .execute()
    await end(grant)
    const refreshed = await grant.agent.refresh(grant.tokens.refresh_token)
    expect(refreshed.status).toBeGreaterThanOrEqual(400)
    const [command = ''] = documentedCommands('Who ended this grant?')
    const { out } = await place.cli([...command.replace('<grant id>', id).split(' ').slice(1), '--format', 'ndjson'])
    const entries: Record<string, unknown>[] = out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
    const wanted = entry(grant)
    const found = entries.find(({ event }) => event === (wanted as { event: string }).event)
    expect(found).toMatchObject(wanted)
    // The entry names the grant, or it ended every grant of its client or person.
    const isAboutGrant = found?.grant_id === id || found?.client_id === grant.agent.clientId
    expect(isAboutGrant || found?.account_id === toPublicId('acc', grant.accountId)).toBe(true)
    if (found?.grant_id !== undefined && found?.grant_id !== null) expect(found.client_id).toBe(grant.agent.clientId)
  })
})
