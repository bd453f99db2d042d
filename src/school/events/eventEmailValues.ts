import { accountEventPath } from '../../base/accountPaths.ts'
import { toPublicId } from '../../base/ids.ts'
import type { School } from '../../base/school.ts'
import { isObject } from '../../base/text/jsonValue.ts'
import { inEveryLanguage } from '../../base/text/languages.ts'
import { periodText } from '../../base/timeZone.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import type { EmailOccasion, TranslatedText } from '../../database/outbox/sendMessage.ts'
import type { Occasion } from './occasion.ts'

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
