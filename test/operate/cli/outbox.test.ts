import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { newId } from '../../../src/base/ids.ts'
import { createKeyring } from '../../../src/base/keyring.ts'
import { createLog } from '../../../src/base/log/log.ts'
import { inSchool } from '../../../src/database/school/inSchool.ts'
import { recordChange } from '../../../src/database/tables/changeLog.ts'
import { recordJobRun } from '../../../src/database/tables/jobRuns.ts'
import { createOutbox } from '../../../src/operate/compose/outbox.ts'
import { runJob } from '../../../src/operate/jobs/schedule.ts'
import { rootSecret } from '../../support/service.ts'
import { operatorEvents, type Place, placesToTest } from './cli.ts'

const [where] = await placesToTest()

describe('the commands of the outbox', () => {
  let place: Place
  let receiver: Server
  let directory: string
  let status: number
  let received: { headers: Record<string, string>; body: string }[]
  const secret = `whsec_${randomBytes(32).toString('base64')}`

  beforeAll(async () => {
    place = await (where as { open(): Promise<Place> }).open()
    receiver = createServer(async (request, response) => {
      received.push({ headers: request.headers as Record<string, string>, body: await text(request) })
      response.writeHead(status).end()
    }).listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    directory = await mkdtemp(join(tmpdir(), 'schoolgate-secret-'))
    const path = join(directory, 'crm')
    await writeFile(path, secret)
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks/very-secret-path`
    const school = {
      webhooks: [{ name: 'crm', url, types: ['course'], secrets: [`file:${path}`] }],
      webhook_private_hosts: ['127.0.0.1'],
    }
    await place.service.reload({ school })
    await writeFile(
      join(place.config, 'schools/first.yaml'),
      stringify({ issuer: place.service.issuer, docs_url: 'https://docs.example.com', defaults: { name: 'First School' }, ...school }),
    )
  })
  afterAll(async () => {
    receiver.close()
    await place.stop()
    await rm(directory, { recursive: true })
  })
  beforeEach(async () => {
    status = 200
    received = []
    await place.service.database.kysely.deleteFrom('outbox').execute()
  })

  const change = () =>
    place.service.database.transaction((writer) =>
      recordChange(inSchool(writer, place.service.schoolId()), { type: 'course', resource_id: newId(), action: 'created', version: 1 }),
    )
  const giveUp = () =>
    place.service.database.kysely
      .updateTable('outbox')
      .set({ state: 'dead', finished_at: new Date(), reason: 'not delivered in time' })
      .execute()
  const lastEvent = async () => (await operatorEvents(place.service)).at(-1)

  test('an e-mail that was given up is listed without its content, replayed and discarded', async () => {
    const { database, app } = place.service
    const outbox = createOutbox({ database, keyring: createKeyring([rootSecret]) })
    const { school } = app.schools.byId(place.service.schoolId())
    const to = ['a@example.com', 'b@example.com'].map((email) => ({ email, locales: [] }))
    await outbox.send(database.kysely, school, to, 'staff_invited', { link: 'https://school.example/secret-link' })
    await giveUp()
    const listed = await place.cli(['outbox', 'list', '--state', 'dead', '--json'])
    expect(listed.json()).toMatchObject([{ kind: 'email', state: 'dead', reason: 'not delivered in time' }, { kind: 'email' }])
    expect(listed.out).not.toMatch(/example\.com|secret-link/)
    const [{ id }, { id: other }] = listed.json()
    expect(await place.cli(['outbox', 'replay', id])).toMatchObject({ exitCode: 0, out: '1 row will be attempted again\n' })
    expect(await lastEvent()).toMatchObject({ event: 'operator.outbox_replayed', details: { rows: id, operator: 'ops' } })
    expect(await place.service.emails()).toHaveLength(1)
    expect(await place.cli(['outbox', 'replay', id])).toMatchObject({ exitCode: 1, err: expect.stringContaining('no content') })
    expect((await place.cli(['outbox', 'discard', other])).exitCode).toBe(2)
    // A process works on the row.
    await database.sql.query(`UPDATE outbox SET locked_until = now() + interval '1 minute' WHERE id = $1`, [other])
    await place.cli(['outbox', 'discard', other, '--yes'])
    expect((await place.cli(['outbox', 'list', '--state', 'dead', '--json'])).json()).toMatchObject([{ id: other }])
    await database.sql.query('UPDATE outbox SET locked_until = NULL WHERE id = $1', [other])
    expect(await place.cli(['outbox', 'discard', other, '--yes'])).toMatchObject({ exitCode: 0, out: '1 row deleted\n' })
    expect((await place.cli(['outbox', 'list', '--state', 'dead'])).out).toBe('no rows\n')
  })

  test('deliveries that a receiver missed are listed and sent again', async () => {
    status = 500
    await change()
    await place.service.app.drained()
    const [waiting] = (await place.cli(['webhooks', 'deliveries', 'crm', '--json'])).json()
    expect(waiting).toMatchObject({ type: 'course.created', state: 'pending', attempts: 1, reason: 'the receiver answered 500' })
    await giveUp()
    const [endpoint] = (await place.cli(['webhooks', 'list', '--json'])).json()
    expect(endpoint).toMatchObject({ name: 'crm', dead: 1, pending: 0, last_failure: 'the receiver answered 500', state: 'active' })
    expect(JSON.stringify(endpoint)).not.toContain('very-secret-path')
    status = 200
    expect(await place.cli(['webhooks', 'replay', 'crm'])).toMatchObject({ exitCode: 0, out: '1 delivery will be sent again\n' })
    expect(await lastEvent()).toMatchObject({ event: 'operator.webhooks_replayed', details: { endpoint: 'crm', count: 1 } })
    await place.service.app.drained()
    const delivered = ['webhooks', 'deliveries', 'crm', '--state', 'delivered']
    expect((await place.cli(delivered)).out).toContain('course.created')
    const again = ['webhooks', 'replay', 'crm', '--state', 'delivered', '--since', new Date(Date.now() - 60_000).toISOString()]
    expect((await place.cli(again)).out).toBe('1 delivery will be sent again\n')
    await place.service.app.drained()
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(received).toHaveLength(3)
  })

  test('a test event is signed, and its response decides about the exit code', async () => {
    expect(await place.cli(['webhooks', 'test', 'crm'])).toMatchObject({ exitCode: 0, out: 'crm answered 200\n' })
    const [{ headers, body } = { headers: {}, body: '' }] = received
    expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: 'webhook.test' })
    status = 302
    expect(await place.cli(['webhooks', 'test', 'crm'])).toMatchObject({ exitCode: 1, err: expect.stringContaining('answered 302') })
  })

  test('jobs show their last and next run, and why they failed', async () => {
    const record = (run: Parameters<typeof recordJobRun>[1]) => recordJobRun(place.service.database.kysely, run)
    const job = (run: () => Promise<Record<string, number>>) => ({ name: 'sweep_outbox', everySeconds: 600, run })
    const log = createLog('silent')
    await runJob(
      job(async () => ({ removed: 3 })),
      log,
      { record },
    )
    const fail = job(async () => {
      throw new Error('no space left')
    })
    for (let at = 0; at < 2; at++) await runJob(fail, log, { record })
    const find = async () =>
      (await place.cli(['jobs', 'list', '--json'])).json().find(({ name }: { name: string }) => name === 'sweep_outbox')
    const shown = await find()
    expect(shown).toMatchObject({ failures: 2, last_failure: 'no space left', last_result: 'removed 3' })
    expect(Date.parse(shown.next_run_at) - Date.parse(shown.last_run_at)).toBe(600_000)
    expect((await place.cli(['jobs', 'run', 'sweep_outbox'])).exitCode).toBe(0)
    expect(await find()).toMatchObject({ failures: 0, last_failure_at: shown.last_failure_at })
  })

  test.each([
    [['outbox', 'list', '--limit', 'many'], '--limit must be a number from 1 to 99999'],
    [['outbox', 'list', '--kind', 'letter'], "'letter' is invalid. Allowed choices are urgent_email, email"],
    [['outbox', 'replay', 'x1'], 'x1 is not the id of a row'],
    [['outbox', 'discard', '-1', '--yes'], '-1'],
    [['webhooks', 'deliveries', 'crn'], 'endpoint crn does not exist; did you mean crm?'],
    [['webhooks', 'deliveries', 'crm', '--limit', '0'], '--limit must be a number'],
    [['webhooks', 'replay', 'crm', '--since', 'yesterday'], '--since must be a time'],
    [['webhooks', 'replay', 'crm', '--state', 'delivered'], 'requires --since'],
    [['webhooks', 'test', 'unknown'], 'endpoint unknown does not exist'],
  ])('wrong input of %j ends with 2 and says what is wrong', async (args, words) => {
    expect(await place.cli(args)).toMatchObject({ exitCode: 2, out: '', err: expect.stringContaining(words) })
  })
})
