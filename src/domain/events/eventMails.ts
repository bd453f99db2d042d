import type { ExternalServices } from '../../policy/externalServices.ts'
import type { School } from '../../policy/school.ts'
import type { Sql } from '../../store/sql.ts'

/** What a letter about an event says. */
export interface EventDetails {
  id: string
  title: string
  starts_at: Date
  time_zone: string
}

interface Sending {
  sql: Sql
  school: School
  externalServices: Pick<ExternalServices, 'send'>
  enqueue(name: string, work: () => Promise<void>): void
}

/** Whom to write to about their answer. Who has no address any more is left out. */
interface Reader {
  email: string
  person_locale: string | null
  account_locale: string | null
}

/** Tells everybody who has a seat, or waits for one, that the event does not take place. */
export async function tellOfCancellation(
  { sql, school, externalServices, enqueue }: Sending,
  event: EventDetails,
  reason: string | null,
): Promise<void> {
  const readers = await sql.query<Reader>(
    `SELECT coalesce(a.email, p.email) AS email, p.locale AS person_locale, a.locale AS account_locale
       FROM rsvp r
       JOIN person p ON p.school_id = r.school_id AND p.id = r.person_id AND p.erased_at IS NULL
       LEFT JOIN account a ON a.school_id = p.school_id AND a.id = p.account_id
      WHERE r.school_id = $1 AND r.event_id = $2 AND r.status IN ('going', 'waitlisted') ORDER BY r.queued_at, r.id`,
    [school.id, event.id],
  )
  const said = { title: event.title, when: whenOf(event) }
  enqueue('notice of cancellation', async () => {
    for (const reader of readers) {
      const to = addresseeOf(reader)
      if (reason === null) await externalServices.send(school, to, 'event_canceled', said)
      else await externalServices.send(school, to, 'event_canceled_because', { ...said, reason })
    }
  })
}

/** Tells people who waited that they have a seat. */
export async function tellOfSeats(
  { sql, school, externalServices, enqueue }: Sending,
  event: EventDetails,
  personIds: readonly string[],
): Promise<void> {
  if (personIds.length === 0) return
  const readers = await sql.query<Reader>(
    `SELECT coalesce(a.email, p.email) AS email, p.locale AS person_locale, a.locale AS account_locale
       FROM person p LEFT JOIN account a ON a.school_id = p.school_id AND a.id = p.account_id
      WHERE p.school_id = $1 AND p.id = ANY($2::uuid[]) AND p.erased_at IS NULL`,
    [school.id, personIds],
  )
  const said = { title: event.title, when: whenOf(event) }
  enqueue('notice of a seat', async () => {
    for (const reader of readers) await externalServices.send(school, addresseeOf(reader), 'rsvp_promoted', said)
  })
}

const addresseeOf = ({ email, person_locale, account_locale }: Reader) => ({ email, locales: [account_locale, person_locale] })

/** The time as it is where the event is: `2026-03-01 18:30 (Europe/Berlin)`. */
function whenOf({ starts_at, time_zone }: EventDetails): string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: time_zone, dateStyle: 'short', timeStyle: 'short' })
  return `${format.format(starts_at)} (${time_zone})`
}
