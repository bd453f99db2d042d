import { Writable } from 'node:stream'
import { beforeEach, describe, expect, test } from 'vitest'
import { createKeyring } from '../../../src/base/keyring.ts'
import { createLog } from '../../../src/base/log/log.ts'
import { DeliveryFailure } from '../../../src/base/net/deliveryFailure.ts'
import { type ClaimedRow, outboxFigures } from '../../../src/database/outbox/claimOutbox.ts'
import { sweepOutbox } from '../../../src/database/outbox/sweepOutbox.ts'
import { createOutbox } from '../../../src/operate/compose/outbox.ts'
import { createOutboxWorker, type OutboxHandler, type OutboxOutcome } from '../../../src/operate/jobs/outbox/outboxWorker.ts'
import { everyDatabase, openDatabaseTwice, type TestDatabase } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { until } from '../../support/poll.ts'
import { newSchool } from '../../support/rows.ts'

const keyring = createKeyring(['a root secret for tests, long enough to be taken'])
const link = 'https://school.example/account/password/new?token=very-secret'

describe.each(await everyDatabase())('the outbox on $name', ({ open }) => {
  const opened = duringTests(open)
  let school: { id: string; slug: string; issuer: string }
  beforeEach(async () => {
    await opened.database.kysely.deleteFrom('outbox').execute()
    const id = await newSchool(opened.database.sql)
    school = { id, slug: `school-${id}`, issuer: 'https://school.example' }
  })

  const outbox = () => createOutbox({ database: opened.database, keyring })
  const rows = () => opened.database.kysely.selectFrom('outbox').selectAll().orderBy('id').execute()
  const add = async (count = 1, db = opened.database.kysely) => {
    const to = Array.from({ length: count }, (_, at) => ({ email: `person${at}@example.com`, locales: [] }))
    await outbox().send(db, school, to, 'password_reset', { link })
  }

  const workers: { stop(): Promise<void> }[] = []
  function worker(deliver: OutboxHandler['deliver'], options: { leaseSeconds?: number; database?: TestDatabase['database'] } = {}) {
    const lines: string[] = []
    const outcomes: OutboxOutcome[] = []
    const created = createOutboxWorker({
      database: opened.database,
      handlers: { urgent_email: { concurrency: 4, deliver }, email: { concurrency: 4, deliver }, bulk_email: { concurrency: 2, deliver } },
      log: createLog('debug', new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) })),
      onOutcome: (_kind, outcome) => outcomes.push(outcome),
      pollMilliseconds: 50,
      ...options,
    })
    workers.push(created)
    return { ...created, outcomes, log: () => lines.join('') }
  }
  const recipients = async (row: ClaimedRow) => (outbox().open(row.payload) as { to: { email: string } }).to.email

  test('a change that is rolled back sends nothing, and a committed one wakes the worker once it is committed', async () => {
    const { database } = opened
    const woken: string[] = []
    const writing = outbox()
    writing.onAdded(() => woken.push('woken'))
    const to = { email: 'a@example.com', locales: [] }
    const failing = database.transaction(async (writer) => {
      await writing.send(writer, school, to, 'password_reset', { link })
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    expect([await rows(), woken]).toEqual([[], []])
    await database.transaction(async (writer) => {
      await writing.send(writer, school, to, 'password_reset', { link })
      expect(woken).toEqual([])
    })
    expect(woken).toEqual(['woken'])
    await writing.send(database.kysely, school, to, 'password_reset', { link })
    expect(woken).toHaveLength(2)
  })

  test('a waiting row contains neither the address nor the link in clear, and a delivered one has no payload', async () => {
    await add()
    const stored = JSON.stringify(await rows())
    expect(stored).not.toContain('person0')
    expect(stored).not.toContain('very-secret')
    const seen: string[] = []
    await worker(async (row) => void seen.push(await recipients(row))).drained()
    expect(seen).toEqual(['person0@example.com'])
    expect(await rows()).toMatchObject([{ state: 'delivered', payload: null, attempts: 1 }])
  })

  test('of two processes each row goes to one', async () => {
    await add(60)
    const second = await openDatabaseTwice(opened)
    const seen: string[] = []
    const deliver = async (row: ClaimedRow) => {
      await new Promise((resolve) => setImmediate(resolve))
      seen.push(await recipients(row))
    }
    await Promise.all([worker(deliver).drained(), worker(deliver, { database: second.database }).drained()])
    await second.close()
    expect(seen).toHaveLength(60)
    expect(new Set(seen).size).toBe(60)
  })

  test('a temporary failure is retried later with the reason stored, and nothing of the row is logged', async () => {
    await add()
    let isUp = false
    const { drained, log, outcomes } = worker(async () => {
      if (!isUp) throw new DeliveryFailure('the mail server did not take a message: EENVELOPE 451')
    })
    await drained()
    const [waiting] = await rows()
    expect(waiting).toMatchObject({ state: 'pending', attempts: 1, reason: expect.stringContaining('451'), locked_until: null })
    expect((waiting?.next_at.getTime() ?? 0) - Date.now()).toBeGreaterThan(1000)
    expect(log()).toContain('will be retried')
    expect(log()).not.toContain('person0')
    isUp = true
    await opened.database.kysely.updateTable('outbox').set({ next_at: new Date() }).execute()
    await drained()
    expect(await rows()).toMatchObject([{ state: 'delivered', attempts: 2, reason: null }])
    expect(outcomes).toEqual(['retried', 'delivered'])
  })

  test('an unexpected error is retried too, and its message, which may contain personal data, is not stored', async () => {
    await add()
    await worker(async () => {
      throw new TypeError('cannot read person0@example.com')
    }).drained()
    expect(await rows()).toMatchObject([{ state: 'pending', reason: 'unexpected failure: TypeError; see the log' }])
  })

  test.each([
    ['the database', new Error('timeout exceeded when trying to connect'), 'no connection'],
    ['the disk', Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' }), 'ENOSPC'],
  ])('%s that fails during an attempt is a reason to retry, not a defect', async (_what, failure, code) => {
    await add()
    const { drained, log } = worker(async () => {
      throw failure
    })
    await drained()
    expect(await rows()).toMatchObject([{ state: 'pending', reason: `a store did not answer: ${code}` }])
    expect(log()).toContain('delivery failed, will be retried')
    expect(log()).not.toContain('unexpectedly')
  })

  test('a permanent failure is given up immediately and kept with its reason and payload', async () => {
    await add()
    const { drained, outcomes } = worker(async () => {
      throw new DeliveryFailure('the mail server did not take a message: EENVELOPE 550', { isPermanent: true })
    })
    await drained()
    expect(await rows()).toMatchObject([{ state: 'dead', attempts: 1, reason: expect.stringContaining('550') }])
    expect((await rows())[0]?.payload).not.toBeNull()
    expect(outcomes).toEqual(['dead'])
    expect(await outboxFigures(opened.database.kysely)).toContainEqual({ kind: 'urgent_email', pending: 0, oldestSeconds: 0, dead: 1 })
  })

  test('an e-mail whose link has expired is not sent', async () => {
    await add()
    await opened.database.kysely
      .updateTable('outbox')
      .set({ expires_at: new Date(Date.now() - 1000) })
      .execute()
    const seen: unknown[] = []
    await worker(async (row) => void seen.push(row)).drained()
    expect([seen, await rows()]).toMatchObject([[], [{ state: 'dead', reason: 'not delivered in time' }]])
  })

  test('a row whose process died is taken over when its lease ends, and the late process cannot settle it', async () => {
    await add()
    const { promise: frozen, resolve: thaw } = Promise.withResolvers<void>()
    const dead = worker(() => frozen, { leaseSeconds: 600 })
    const waiting = dead.drained()
    await until(async () => (await rows())[0]?.attempts === 1, { what: 'the claim' })
    const seen: string[] = []
    const living = worker(async (row) => void seen.push(await recipients(row)))
    await living.drained()
    expect(seen).toEqual([])
    await opened.database.kysely.updateTable('outbox').set({ next_at: new Date() }).execute()
    await living.drained()
    expect(seen).toHaveLength(1)
    thaw()
    await waiting
    expect(await rows()).toMatchObject([{ state: 'delivered', attempts: 2 }])
  })

  test('a slow delivery does not delay the others, nor the end of the work of this process', async () => {
    await add(1)
    const { promise: slow, resolve: finish } = Promise.withResolvers<void>()
    const seen: string[] = []
    const process = worker(async (row) => {
      if (seen.push(await recipients(row)) === 1) await slow
    })
    process.start()
    await until(async () => seen.length === 1, { what: 'the slow delivery' })
    await add(6)
    await until(async () => seen.length === 7, { what: 'the other deliveries' })
    const stopped = process.stop()
    await add(1)
    finish()
    await stopped
    expect((await rows()).map(({ state }) => state).toSorted()).toEqual([...Array(7).fill('delivered'), 'pending'])
  })

  test.each(['password_reset', 'sign_up', 'email_change', 'email_changed'] as const)(
    '%s does not wait for the backlog of other e-mails, on a mail server that responds to none of those',
    async (kind) => {
      const { kysely } = opened.database
      const changed = { facts: { at: new Date().toISOString(), time_zone: 'UTC' }, contact: '' }
      const to = (name: string, count: number) =>
        Array.from({ length: count }, (_, at) => ({ email: `${name}${at}@example.com`, locales: [] }))
      await outbox().send(kysely, school, to('invited', 30), 'person_invited', { link })
      await outbox().send(kysely, school, to('reader', 30), 'post_published', { link, title: 'News' })
      await kysely
        .updateTable('outbox')
        .set({ next_at: new Date(Date.now() - 3_600_000) })
        .execute()
      const { promise: slow, resolve: finish } = Promise.withResolvers<void>()
      const begun: string[] = []
      const process = worker(async (row) => {
        begun.push(await recipients(row))
        if (begun.at(-1) !== 'waiting0@example.com') await slow
      })
      process.start()
      await until(async () => begun.length === 6, { what: 'the backlog to occupy its connections' })
      await outbox().send(kysely, school, to('waiting', 1), kind, kind === 'email_changed' ? changed : { link })
      await until(async () => begun.includes('waiting0@example.com'), { what: 'the e-mail that a person waits for' })
      expect(begun).toHaveLength(7)
      const stopped = process.stop()
      finish()
      await stopped
    },
  )

  test('rows are removed a week after their delivery, and those that were given up after a month', async () => {
    await add(4)
    const { kysely } = opened.database
    const ids = (await rows()).map(({ id }) => id)
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
    const states = [
      ['delivered', 8],
      ['delivered', 6],
      ['dead', 29],
      ['dead', 31],
    ] as const
    for (const [at, [state, days]] of states.entries())
      await kysely
        .updateTable('outbox')
        .set({ state, finished_at: daysAgo(days) })
        .where('id', '=', ids[at] ?? 0)
        .execute()
    expect(await sweepOutbox(kysely, 100)).toBe(2)
    expect((await rows()).map(({ id }) => id)).toEqual([ids[1], ids[2]])
  })
})
