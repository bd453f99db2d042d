import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { heldSince, noticeRestore } from '../../src/database/migrations/restore.ts'
import { ensureSchool } from '../../src/database/tables/schools.ts'
import { send } from '../pages/account/account.ts'
import { createBrowser } from '../pages/browser.ts'
import { createAgent, personCalled } from '../support/agent.ts'
import { availableServices, throwawayPostgres } from '../support/databases.ts'
import { startDocumentHost } from '../support/documentHost.ts'
import { type Place, placesToTest } from './cli/cli.ts'

const { postgresql } = await availableServices()
const undo: (() => unknown)[] = []
afterAll(async () => {
  for (const step of undo.reverse()) await step()
})

const places = await placesToTest()

async function openPlace(): Promise<{ place: Place; received: () => number }> {
  const receivers = await startDocumentHost(['good.example.com'])
  let count = 0
  receivers.pages.set('https://good.example.com/hook', (_request, response) => {
    count += 1
    response.writeHead(204).end()
  })
  const [where] = places
  if (!where) throw new Error('no place to test')
  const place = await where.open({ service: { network: receivers.network } })
  undo.push(
    () => receivers.stop(),
    () => place.stop(),
  )
  const folder = await mkdtemp(join(tmpdir(), 'schoolgate-secret-'))
  undo.push(() => rm(folder, { recursive: true }))
  const secret = join(folder, 'secret')
  await writeFile(secret, `whsec_${randomBytes(32).toString('base64')}`)
  await place.service.reload({
    school: { webhooks: [{ name: 'good', url: 'https://good.example.com/hook', types: ['security'], secrets: [`file:${secret}`] }] },
  })
  return { place, received: () => count }
}

describe('after a restore', () => {
  test('webhooks and news are held until they are released, a new password is sent, and the audit trail says so', async () => {
    const { place, received } = await openPlace()
    const { cli, service } = place
    const { sql } = service.database
    await service.addPerson({ email: 'ada@example.org' })
    const marked = await cli(['backup', 'mark'])
    expect(marked, marked.err).toMatchObject({ exitCode: 0, out: expect.stringContaining('outbox release --discard') })
    await createAgent(service.issuer)
    await sql.query(
      `INSERT INTO outbox (school_id, kind, payload, expires_at, created_at)
       VALUES ($1, 'bulk_email', '"unreadable"', now() + interval '1 hour', now()), ($1, 'email', '"unreadable"', now() + interval '1 hour', now() - interval '1 hour')`,
      [service.schoolId()],
    )
    const browser = createBrowser(service.issuer)
    await send(browser, await browser.get('/account/password'), { email: 'ada@example.org' })
    expect((await service.emails()).map(({ to }) => to)).toEqual(['ada@example.org'])
    expect(received()).toBe(0)
    const rows = await sql.query<{ kind: string }>(
      `SELECT kind FROM outbox WHERE state = 'withheld' AND reason LIKE 'held after a restore%'`,
    )
    expect(new Set(rows.map(({ kind }) => kind))).toEqual(new Set(['webhook', 'bulk_email', 'email']))
    const audit = await sql.query(`SELECT details->>'how' AS how FROM audit_log WHERE event = 'operator.restored'`)
    expect(audit).toEqual([{ how: 'backup mark' }])

    expect(await cli(['outbox', 'release'])).toMatchObject({ exitCode: 2 })
    const released = await cli(['outbox', 'release', '--discard', '--yes'])
    expect(released, released.err).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^released: [1-9]\d* messages are deleted/) })
    expect(await cli(['outbox', 'release', '--yes'])).toMatchObject({ exitCode: 1, err: expect.stringContaining('nothing is held') })
    const before = received()
    await createAgent(service.issuer)
    await service.app.drained()
    expect(received()).toBeGreaterThan(before)
    expect(await sql.query(`SELECT 1 FROM outbox WHERE state = 'withheld'`)).toEqual([])
  })

  test('a release without --discard sends what was held', async () => {
    const { place, received } = await openPlace()
    const { cli, service } = place
    await cli(['backup', 'mark'])
    await createAgent(service.issuer)
    await service.app.drained()
    const [held] = await service.database.sql.query<{ count: number }>(`SELECT count(*)::int FROM outbox WHERE state = 'withheld'`)
    expect(received()).toBe(0)
    expect(await cli(['outbox', 'release', '--yes'])).toMatchObject({ exitCode: 0 })
    await service.app.drained()
    await service.app.outbox.drained()
    expect(received()).toBeGreaterThanOrEqual(held?.count ?? Number.NaN)
    expect(await service.database.sql.query(`SELECT 1 FROM outbox WHERE state IN ('withheld', 'pending')`)).toEqual([])
  })

  test('grants from before are revoked by a time, so that a refresh token that was replaced since does not work', async () => {
    const { place } = await openPlace()
    const { cli, service } = place
    await service.addPerson({ email: 'bob@example.org' })
    const agent = await createAgent(service.issuer)
    const { body } = await agent.tokens(personCalled('bob@example.org'), { scope: 'openid offline_access account:read' })
    const revoked = await cli(['grants', 'revoke', '--all-before', new Date(Date.now() + 60_000).toISOString(), '--yes'])
    expect(revoked, revoked.err).toMatchObject({ exitCode: 0 })
    expect((await agent.refresh(body.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('numbers continue after one that was given out, never before it, and a wrong one is refused', async () => {
    const { place } = await openPlace()
    const { cli, service } = place
    const raise = (last: string, kind = 'invoice') => cli(['backup', 'numbers', '--kind', kind, '--last', last])
    expect(await raise('2026-000512')).toMatchObject({ exitCode: 0, out: expect.stringContaining('2026-000512') })
    expect(await raise('INV-2026-000511')).toMatchObject({ exitCode: 1, err: expect.stringContaining('nothing was changed') })
    expect(await raise('2026-000040', 'order')).toMatchObject({ exitCode: 0 })
    expect(await raise('512')).toMatchObject({ exitCode: 2, err: expect.stringContaining('2026-000512') })
    expect(await cli(['backup', 'numbers', '--kind', 'invoice'])).toMatchObject({ exitCode: 2 })
    expect((await cli(['backup', 'numbers', '--json'])).json()).toEqual([
      { school: 'first', kind: 'invoice', year: 2026, last: '2026-000512' },
      { school: 'first', kind: 'order', year: 2026, last: '2026-000040' },
    ])
    expect(await service.database.sql.query('SELECT last_no FROM document_counter')).toEqual([{ last_no: 512 }])
  })
})

describe.runIf(postgresql)('a dump that other tools restored', () => {
  test('is noticed at the next start, once, and sequences continue; another start of the same database is not', async () => {
    const { url, drop } = await throwawayPostgres()
    const own = await openDatabase({ databaseUrl: url, dataDirectory: tmpdir(), poolSize: 2 })
    undo.push(drop, () => own.close())
    const schoolId = await ensureSchool(own.kysely, { slug: 'first', name: 'First', locale: 'en', time_zone: 'UTC', currency: 'EUR' })
    expect([await noticeRestore(own), await noticeRestore(own), await heldSince(own.kysely)]).toEqual([false, false, undefined])
    // As pg_restore leaves it: the row names another database, and sequences are behind.
    await own.sql.query(`UPDATE installation SET database_place = '1/1'`)
    await own.sql.query(
      `INSERT INTO outbox (school_id, id, kind, expires_at) OVERRIDING SYSTEM VALUE VALUES ($1, 5000, 'webhook', now())`,
      [schoolId],
    )
    expect((await Promise.all([noticeRestore(own), noticeRestore(own)])).toSorted()).toEqual([false, true])
    expect(await heldSince(own.kysely)).toBeInstanceOf(Date)
    const [next] = await own.sql.query<{ id: string }>(
      `INSERT INTO outbox (school_id, kind, expires_at) VALUES ($1, 'webhook', now()) RETURNING id::text`,
      [schoolId],
    )
    expect(Number(next?.id)).toBeGreaterThan(5000)
    expect(await own.sql.query(`SELECT details->>'how' AS how FROM audit_log WHERE event = 'operator.restored'`)).toEqual([
      { how: 'moved' },
    ])
  })
})
