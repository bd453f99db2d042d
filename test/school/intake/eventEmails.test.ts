import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromPublicId, newId } from '../../../src/base/ids.ts'
import { createKeyring } from '../../../src/base/keyring.ts'
import type { Database } from '../../../src/database/connection/database.ts'
import { createOutbox } from '../../../src/operate/compose/outbox.ts'
import { sendEventReminders } from '../../../src/school/events/jobs/eventReminders.ts'
import { fillFreeSeats } from '../../../src/school/events/jobs/fillFreeSeats.ts'
import { databasesToTest, openDatabaseTwice } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startSales } from '../../support/sales.ts'
import { rootSecret } from '../../support/service.ts'

const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString()
const people = 60

describe.each(await databasesToTest())('e-mails about events, on $name', ({ open }) => {
  const opened = duringTests(open)
  const sales = duringTests(() => startSales({ database: opened.database }))
  let other: Database
  let closeOther: () => Promise<void>
  beforeAll(async () => {
    ;({ database: other, close: closeOther } = await openDatabaseTwice(opened))
  })
  afterAll(async () => {
    await closeOther()
  })

  const query = (text: string, values: unknown[] = []) => sales.service.database.sql.query(text, values)
  const schools = () => sales.service.app.schools.all.map(({ school }) => school)
  /** A process that writes e-mails to the outbox and delivers none: one that ends before it can. */
  const outboxOf = (database: Database) => createOutbox({ database, keyring: createKeyring([rootSecret]) }).send
  const remind = (database: Database) =>
    database.transaction((writer) => sendEventReminders(writer, { schools: schools(), send: outboxOf(database), limit: 25 }))
  const fill = (database: Database) =>
    database.transaction((writer) =>
      fillFreeSeats(writer, {
        schools: schools(),
        externalServices: { send: outboxOf(database), checkoutAddress: () => undefined },
        limit: 3,
      }),
    )
  async function newEvent(title: string, more: object = {}): Promise<string> {
    const place = { kind: 'in_person', location: { name: 'Kiln house' }, starts_at: inHours(10), ends_at: inHours(12) }
    const { status, body } = await sales.call('POST', '/events', { title, ...place, ...more })
    expect([status, body.details]).toEqual([201, undefined])
    expect((await sales.call('POST', `/events/${body.id}/publish`, {})).status).toBe(200)
    return body.id
  }
  /** Adds people with RSVPs of this status. Returns their addresses in order. */
  async function addRsvps(event: string, status: string): Promise<string[]> {
    const rows = await query(
      `WITH someone AS (
         INSERT INTO person (school_id, id, email, name, is_member, rsvps_count)
         SELECT $1, gen_random_uuid(), 'p' || n || '-' || $3 || '@example.org', 'Person', true, 1 FROM generate_series(1, $4::int) AS n RETURNING *)
       INSERT INTO rsvp (school_id, id, event_id, person_id, status, queued_at, status_changed_at)
       SELECT school_id, gen_random_uuid(), $2, id, $5, now() - interval '5 days', now() - interval '5 days' FROM someone
       RETURNING (SELECT email FROM someone WHERE someone.id = person_id) AS email`,
      [sales.schoolId, fromPublicId('evt', event), newId(), people, status],
    )
    return rows.map(({ email }) => String(email)).toSorted()
  }
  const recipients = async (title: string) =>
    (await sales.service.emails())
      .filter(({ subject }) => subject.includes(title))
      .map(({ to }) => (typeof to === 'string' ? to : JSON.stringify(to)))
      .toSorted()

  test('two processes that remind at the same time send each person one reminder', async () => {
    const title = `Reminded ${newId()}`
    const emails = await addRsvps(await newEvent(title, { reminder_hours: 24 }), 'going')
    await Promise.all(Array.from({ length: 6 }, (_, index) => remind(index % 2 === 0 ? opened.database : other)))
    while ((await remind(other)) > 0);
    expect(await recipients(title)).toEqual(emails)
  })

  test('two processes that fill seats at the same time send each person one e-mail', async () => {
    const titles = await Promise.all(Array.from({ length: 4 }, async () => `Filled ${newId()}`))
    const emails = new Map<string, string[]>()
    for (const title of titles) {
      const event = await newEvent(title, { capacity: people })
      emails.set(title, await addRsvps(event, 'waitlisted'))
      await query('UPDATE event SET waitlisted_count = $2 WHERE id = $1', [fromPublicId('evt', event), people])
    }
    await Promise.all(Array.from({ length: 6 }, (_, index) => fill(index % 2 === 0 ? opened.database : other)))
    await sales.service.app.jobs.find((job) => job.name === 'fill_event_seats')?.run()
    for (const [title, expected] of emails) expect([title, await recipients(title)]).toEqual([title, expected])
  })

  test('a process that ends before it commits leaves everything to the next one, and one that ends before it delivers loses nothing', async () => {
    const title = `Restarted ${newId()}`
    const emails = await addRsvps(await newEvent(title, { reminder_hours: 24 }), 'going')
    const ended = opened.database.transaction(async (writer) => {
      await sendEventReminders(writer, { schools: schools(), send: outboxOf(opened.database), limit: 25 })
      throw new Error('the process ended')
    })
    await expect(ended).rejects.toThrow('the process ended')
    expect(
      await query('SELECT 1 FROM rsvp r JOIN event e ON e.id = r.event_id WHERE e.title = $1 AND reminded_at IS NOT NULL', [title]),
    ).toEqual([])
    // This process ends after the commit. Its e-mails are in the outbox, and the people are marked.
    expect(await remind(opened.database)).toBe(25)
    await sales.service.app.jobs.find((job) => job.name === 'remind_of_events')?.run()
    expect(await recipients(title)).toEqual(emails)
    expect(await remind(opened.database)).toBe(0)
  })
})
