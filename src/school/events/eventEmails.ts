import type { School } from '../../base/school.ts'
import { inEveryLanguage } from '../../base/text/languages.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { isAmong } from '../../database/statements/expressions.ts'
import type { ExternalServices } from '../../engine/externalServices.ts'
import { publicItem } from '../itemRef.ts'
import { timeText } from '../localFormats.ts'
import { aboutEvent } from './eventEmailValues.ts'

/** The event that an e-mail is about. */
export interface EventDetails {
  id: string
}

interface Sending {
  writer: SchoolWriter
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
  const content = await aboutEvent(writer, school, event.id, { isCanceled: true })
  const to = await addressesOfAttendees(writer, { eventId: event.id })
  if (reason === null) await externalServices.send(writer, school, to, 'event_canceled', content)
  else await externalServices.send(writer, school, to, 'event_canceled_because', { ...content, reason })
}

/** The RSVPs of people who have a seat at an event to come or are on its waitlist. */
export const attendingStatuses = ['going', 'waitlisted'] as const

/** Reads the addresses and languages of the people who have a seat at an event or are on its waitlist. Skips erased people. */
export async function addressesOfAttendees(writer: SchoolWriter, { eventId }: { eventId: string }) {
  const recipients = await writer
    .selectFrom('rsvp')
    .innerJoin('person', (join) => join.onRef('person.id', '=', 'rsvp.person_id').on('person.erased_at', 'is', null))
    .leftJoin('account', 'account.id', 'person.account_id')
    .select((row) => [
      row.fn.coalesce('account.email', 'person.email').as('email'),
      'person.locale as person_locale',
      'account.locale as account_locale',
    ])
    .where('rsvp.event_id', '=', eventId)
    .where('rsvp.status', 'in', attendingStatuses)
    .orderBy('rsvp.queued_at')
    .orderBy('rsvp.id')
    .execute()
  return recipients.map(addressedTo)
}

/** E-mails people that they have a seat now, by default because they were on the waitlist. Skips erased people. */
export async function notifyOfSeats(
  { writer, school, externalServices }: Sending,
  event: EventDetails,
  personIds: readonly string[],
  kind: 'rsvp_promoted' | 'rsvp_confirmed' = 'rsvp_promoted',
): Promise<void> {
  if (personIds.length === 0) return
  const content = await aboutEvent(writer, school, event.id, { hasSeat: true })
  await externalServices.send(writer, school, await recipientsOf(writer, personIds), kind, content)
}

/** E-mails people from the waitlist that a seat is held for them until this time, and where they pay for it. */
export async function notifyOfOffers(
  { writer, school, externalServices }: Sending & { externalServices: Pick<ExternalServices, 'checkoutAddress'> },
  event: EventDetails,
  { personIds, until }: { personIds: readonly string[]; until: Date },
): Promise<void> {
  if (personIds.length === 0) return
  const checkout = externalServices.checkoutAddress(school, publicItem({ type: 'event', id: event.id }))
  const to = await recipientsOf(writer, personIds)
  const about = await aboutEvent(writer, school, event.id)
  const { time_zone } = about.occasion
  const content = { ...about, until: inEveryLanguage((locale) => `${timeText(until.toISOString(), time_zone, locale)} (${time_zone})`) }
  if (checkout === undefined) await externalServices.send(writer, school, to, 'rsvp_offered', content)
  else await externalServices.send(writer, school, to, 'rsvp_offered_checkout', { ...content, checkout })
}

/** Reads the addresses and languages of people. Skips erased people. */
async function recipientsOf(writer: SchoolWriter, personIds: readonly string[]) {
  const recipients = await writer
    .selectFrom('person')
    .leftJoin('account', 'account.id', 'person.account_id')
    .select((row) => [
      row.fn.coalesce('account.email', 'person.email').as('email'),
      'person.locale as person_locale',
      'account.locale as account_locale',
    ])
    .where((person) => isAmong(person.ref('person.id'), personIds))
    .where('person.erased_at', 'is', null)
    .execute()
  return recipients.map(addressedTo)
}

export const addressedTo = ({ email, person_locale, account_locale }: Recipient) => ({ email, locales: [account_locale, person_locale] })
