import { describe, expect, test } from 'vitest'
import { fromPublicId, newId } from '../../../src/base/ids.ts'
import { databasesToTest } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startSales } from '../../support/sales.ts'

const inHours = (hours: number) => new Date(Math.round(Date.now() / 1000) * 1000 + hours * 3_600_000).toISOString()

describe.each((await databasesToTest()).slice(-1))('moving an event, on $name', ({ open }) => {
  const sales = duringTests(() => startSales({ open }))

  const query = (text: string, values: unknown[] = []) => sales.service.database.sql.query(text, values)
  /** Creates an event with a person who has a seat, one on the waitlist and one who withdrew. */
  async function newEvent({ status = 'published', ...more }: { status?: string; [field: string]: unknown } = {}) {
    const title = `Moved ${newId()}`
    const place = { kind: 'in_person', location: { name: 'Kiln house', address: 'Quay 4' }, time_zone: 'Europe/Berlin' }
    const { body } = await sales.call('POST', '/events', { title, ...place, starts_at: inHours(48), ends_at: inHours(50), ...more })
    if (status === 'published') expect((await sales.call('POST', `/events/${body.id}/publish`, {})).status).toBe(200)
    const emails = ['going', 'waitlisted', 'canceled'].map((rsvp) => `${rsvp}-${newId()}@example.org`)
    await query(
      `WITH someone AS (
         INSERT INTO person (school_id, id, email, name, is_member, locale)
         SELECT $1, gen_random_uuid(), email, 'Person', true, 'de' FROM unnest($2::text[]) email RETURNING *)
       INSERT INTO rsvp (school_id, id, event_id, person_id, status, queued_at, status_changed_at)
       SELECT school_id, gen_random_uuid(), $3, id, split_part(email, '-', 1), now(), now() FROM someone`,
      [sales.schoolId, emails, fromPublicId('evt', String(body.id))],
    )
    return { id: String(body.id), title, attendees: emails.slice(0, 2) }
  }
  const move = (id: string, body: object) => sales.call('PATCH', `/events/${id}`, body)
  /** Lets the quiet time of an event pass, and runs the job. */
  async function notify({ id, title }: { id: string; title: string }) {
    await query('UPDATE event SET move_notice_at = now() WHERE id = $1 AND move_notice_at IS NOT NULL', [fromPublicId('evt', id)])
    await sales.service.app.jobs.find(({ name }) => name === 'notify_of_moved_events')?.run()
    await sales.service.app.jobs.find(({ name }) => name === 'notify_of_moved_events')?.run()
    return (await sales.service.emails()).filter(({ subject }) => subject.includes(title))
  }

  test('sends everybody with a seat or on the waitlist one e-mail with the old and the new time and place, and says how many', async () => {
    const event = await newEvent()
    const moved = await move(event.id, { starts_at: '2027-01-02T17:00:00Z', ends_at: '2027-01-02T19:00:00Z' })
    expect(moved.body.move_notice).toMatchObject({ notified: 2 })
    expect((await move(event.id, { starts_at: '2027-01-03T17:00:00Z', ends_at: '2027-01-03T19:00:00Z' })).status).toBe(200)
    const last = await move(event.id, { location: { name: 'Town hall', address: null } })
    expect(Date.parse((last.body.move_notice as { due_at: string }).due_at) - Date.now()).toBeGreaterThan(60_000)
    const sent = await notify(event)
    expect(sent.map(({ to }) => to).toSorted()).toEqual(event.attendees.toSorted())
    for (const { text, subject } of sent) {
      expect(subject).toContain('neue Zeit oder neuer Ort')
      expect(text).toMatch(/Bisher: .*\d\d:\d\d.* \(Europe\/Berlin\), Kiln house, Quay 4/)
      expect(text).toContain('Zeit: Sonntag, 3. Januar 2027, 18:00–20:00 Uhr (Europe/Berlin)\nOrt: Town hall\n')
      expect(text).not.toContain('2. Januar 2027')
    }
    expect((await sales.call('GET', `/events/${event.id}`)).body.move_notice).toBeNull()
  })

  test('sends nothing with notify: false, for other fields, for a move that is undone, and before publication', async () => {
    const event = await newEvent()
    const before = (await sales.call('GET', `/events/${event.id}`)).body as { starts_at: string; version: number }
    const silent = await move(event.id, { starts_at: inHours(47), notify: false })
    expect([silent.status, silent.body.move_notice]).toEqual([200, null])
    expect((await move(event.id, { title: event.title, capacity: 50, notify: true })).body.move_notice).toBeNull()
    expect((await move(event.id, { starts_at: before.starts_at })).body.move_notice).toMatchObject({ notified: 2 })
    expect((await move(event.id, { starts_at: silent.body.starts_at })).body.move_notice).toBeNull()
    expect(await notify(event)).toEqual([])
    const draft = await newEvent({ status: 'draft' })
    expect((await move(draft.id, { starts_at: inHours(47) })).body.move_notice).toBeNull()
    expect(await notify(draft)).toEqual([])
  })

  test('sends nothing of an event that is over, and only the cancellation of one that is cancelled meanwhile', async () => {
    const past = await newEvent()
    await query(`UPDATE event SET starts_at = now() - interval '3 hours', ends_at = now() - interval '1 hour' WHERE id = $1`, [
      fromPublicId('evt', past.id),
    ])
    expect((await move(past.id, { starts_at: inHours(-4) })).body.move_notice).toBeNull()
    expect(await notify(past)).toEqual([])
    const event = await newEvent()
    expect((await move(event.id, { starts_at: inHours(47) })).body.move_notice).toMatchObject({ notified: 2 })
    expect((await sales.call('POST', `/events/${event.id}/cancel`, {})).status).toBe(200)
    expect((await notify(event)).map(({ subject }) => subject.includes('abgesagt'))).toEqual([true, true])
  })

  test('an option alone changes nothing and keeps the version', async () => {
    const event = await newEvent()
    const { body } = await move(event.id, { starts_at: inHours(47) })
    expect((await move(event.id, { notify: false })).body).toEqual(body)
  })
})
