import { accountEventPath } from '../../base/accountPaths.ts'
import { toPublicId } from '../../base/ids.ts'
import type { School } from '../../base/school.ts'
import { isObject } from '../../base/text/jsonValue.ts'
import { inEveryLanguage } from '../../base/text/languages.ts'
import { momentText, periodText } from '../../base/timeZone.ts'
import type { SchoolReader, SchoolWriter } from '../../database/connection/database.ts'
import type { EmailOccasion, TranslatedText } from '../../database/outbox/sendMessage.ts'
import { isAmong } from '../../database/statements/expressions.ts'
import type { ExternalServices } from '../../engine/externalServices.ts'
import type { CallerContext } from '../changeContext.ts'
import { publicItem } from '../itemRef.ts'
import type { Occasion } from './occasion.ts'

/** The event that an e-mail is about. */
export interface EventDetails {
  id: string
}

type Sending = Omit<CallerContext<'send'>, 'caller' | 'now'>

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
  const content = { ...about, until: inEveryLanguage((locale) => `${momentText(until, { timeZone: time_zone, locale })} (${time_zone})`) }
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

/** The permissions of a recipient. */
interface Reading {
  /** True if the recipients have a seat: the e-mail has the way in, and the event as a calendar file. */
  hasSeat?: boolean
  isCanceled?: boolean
}

interface EventValues {
  title: string
  occasion: EmailOccasion
  /** The page on which the person withdraws. */
  cannot_come: string
}

export async function aboutEvent(
  db: SchoolReader,
  school: School,
  eventId: string,
  { hasSeat = false, isCanceled = false }: Reading = {},
): Promise<EventValues> {
  const event = await db
    .selectFrom('event')
    .select(['id', 'slug', 'version', 'title', 'created_at', 'updated_at', 'starts_at', 'ends_at', 'time_zone', 'location', 'join_url'])
    .where('id', '=', eventId)
    .executeTakeFirstOrThrow()
  const { title, time_zone } = event
  const [starts_at, ends_at] = [event.starts_at.toISOString(), event.ends_at.toISOString()]
  const page = school.issuer + accountEventPath(event.slug)
  const place = placeOf(event)
  const calendar = {
    uid: `${toPublicId('evt', event.id)}@${new URL(school.issuer).hostname}`,
    // The change that causes the e-mail is the next version.
    sequence: event.version + Number(isCanceled),
    changedAt: event.updated_at.toISOString(),
    createdAt: event.created_at.toISOString(),
    startsAt: starts_at,
    endsAt: ends_at,
    ...{ title, description: null, html: null, location: place || null, position: null },
    url: event.join_url ?? page,
    isCanceled,
  }
  return {
    title,
    occasion: {
      ...{ starts_at, ends_at, time_zone },
      ...(place !== '' && { place }),
      ...(hasSeat && event.join_url !== null && { online: event.join_url }),
      ...((hasSeat || isCanceled) && { calendar }),
    },
    cannot_come: page,
  }
}

/** Writes the times and the place of an event in every language. */
export const placeAndTimeOf = ({ starts_at, ends_at, time_zone: timeZone, location }: Occasion & { time_zone: string }): TranslatedText =>
  inEveryLanguage((locale) =>
    [`${periodText(starts_at, ends_at, { timeZone, locale })} (${timeZone})`, placeOf({ location })].filter(Boolean).join(', '),
  )

const placeOf = ({ location }: Pick<Occasion, 'location'>): string =>
  isObject(location) ? [location.name, location.address].filter((part) => typeof part === 'string' && part !== '').join(', ') : ''
