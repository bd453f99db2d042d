import type { ExternalServices } from '../../policy/externalServices.ts'
import type { School } from '../../policy/school.ts'
import type { Writer } from '../../store/database.ts'
import { isAmong } from '../../store/expressions.ts'
import { publicItem } from '../itemRef.ts'

/** The columns of an event that e-mails mention. */
export interface EventDetails {
  id: string
  title: string
  starts_at: Date
  time_zone: string
}

interface Sending {
  writer: Writer
  school: School
  externalServices: Pick<ExternalServices, 'send'>
}

interface Recipient {
  email: string
  person_locale: string | null
  account_locale: string | null
}

/** E-mails everybody who has a seat or is on the waitlist that the event is cancelled. Skips erased people. */
export async function notifyOfCancellation(
  { writer, school, externalServices }: Sending,
  event: EventDetails,
  reason: string | null,
): Promise<void> {
  const recipients = await writer
    .selectFrom('rsvp')
    .innerJoin('person', (join) =>
      join.onRef('person.school_id', '=', 'rsvp.school_id').onRef('person.id', '=', 'rsvp.person_id').on('person.erased_at', 'is', null),
    )
    .leftJoin('account', (join) => join.onRef('account.school_id', '=', 'person.school_id').onRef('account.id', '=', 'person.account_id'))
    .select((row) => [
      row.fn.coalesce('account.email', 'person.email').as('email'),
      'person.locale as person_locale',
      'account.locale as account_locale',
    ])
    .where('rsvp.school_id', '=', school.id)
    .where('rsvp.event_id', '=', event.id)
    .where('rsvp.status', 'in', ['going', 'waitlisted'])
    .orderBy('rsvp.queued_at')
    .orderBy('rsvp.id')
    .execute()
  const content = { title: event.title, when: localTimeOf(event) }
  const to = recipients.map(addressedTo)
  if (reason === null) await externalServices.send(writer, school, to, 'event_canceled', content)
  else await externalServices.send(writer, school, to, 'event_canceled_because', { ...content, reason })
}

/** E-mails people from the waitlist that they have a seat now. Skips erased people. */
export async function notifyOfSeats(
  { writer, school, externalServices }: Sending,
  event: EventDetails,
  personIds: readonly string[],
): Promise<void> {
  if (personIds.length === 0) return
  const content = { title: event.title, when: localTimeOf(event) }
  await externalServices.send(writer, school, await recipientsOf(writer, school.id, personIds), 'rsvp_promoted', content)
}

/** E-mails people from the waitlist that a seat is held for them until this time, and where they pay for it. */
export async function notifyOfOffers(
  { writer, school, externalServices }: Sending & { externalServices: Pick<ExternalServices, 'checkoutAddress'> },
  event: EventDetails,
  { personIds, until }: { personIds: readonly string[]; until: Date },
): Promise<void> {
  if (personIds.length === 0) return
  const checkout = externalServices.checkoutAddress(school, publicItem({ type: 'event', id: event.id }))
  const to = await recipientsOf(writer, school.id, personIds)
  const content = { title: event.title, when: localTimeOf(event), until: localTimeOf({ ...event, starts_at: until }) }
  if (checkout === undefined) await externalServices.send(writer, school, to, 'rsvp_offered', content)
  else await externalServices.send(writer, school, to, 'rsvp_offered_checkout', { ...content, checkout })
}

/** Reads the addresses and languages of people. Skips erased people. */
async function recipientsOf(writer: Writer, schoolId: string, personIds: readonly string[]) {
  const recipients = await writer
    .selectFrom('person')
    .leftJoin('account', (join) => join.onRef('account.school_id', '=', 'person.school_id').onRef('account.id', '=', 'person.account_id'))
    .select((row) => [
      row.fn.coalesce('account.email', 'person.email').as('email'),
      'person.locale as person_locale',
      'account.locale as account_locale',
    ])
    .where('person.school_id', '=', schoolId)
    .where((person) => isAmong(person.ref('person.id'), personIds))
    .where('person.erased_at', 'is', null)
    .execute()
  return recipients.map(addressedTo)
}

export const addressedTo = ({ email, person_locale, account_locale }: Recipient) => ({ email, locales: [account_locale, person_locale] })

/** Formats the start in the time zone of the event: `2026-03-01 18:30 (Europe/Berlin)`. */
export function localTimeOf({ starts_at, time_zone }: EventDetails): string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: time_zone, dateStyle: 'short', timeStyle: 'short' })
  return `${format.format(starts_at)} (${time_zone})`
}
