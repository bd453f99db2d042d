import { accountEventPath, accountPaths } from '../../base/accountPaths.ts'
import { periodText } from '../../base/timeZone.ts'
import { sitePath } from '../../engine/sitePaths.ts'
import type { EventRow } from '../../school/apiRows.ts'
import { plainText } from '../plainText.ts'
import { registrationFor } from '../registration.ts'
import { inZone } from '../site/valueTexts.ts'
import { contentPart, type TextKey, type Texts, textsIn } from '../texts.ts'
import type { AccountForm, AccountItem, AccountSection } from './accountPage.ts'
import { hasSite, type OwnPage, type OwnPageContext, type OwnRequest } from './ownPage.ts'
import type { OperationFile } from './ownPages.ts'

interface Listed {
  upcoming: readonly EventRow[]
  past: readonly EventRow[]
  /** The secret address of the calendar. */
  calendar: string | undefined
}

/** The page of the registrations of a person, with the address of their calendar. */
export const eventsPage: OwnPage<Listed> = {
  path: accountPaths.events,
  notices: { renewed: 'calendar.done_renewed' },
  async read(request) {
    const [upcoming, past, { body }] = await Promise.all([
      request.list('upcoming', 'listEvents', { my_rsvp: 'going,waitlisted', phase: 'upcoming,live', sort: 'starts_at' }),
      request.list('past', 'listEvents', { my_rsvp: 'going,attended', phase: 'ended', sort: '-starts_at' }),
      request.perform('getCalendar'),
    ])
    return { upcoming, past, calendar: body.url ?? undefined }
  },
  build(context, { upcoming, past, calendar }) {
    const { texts } = context
    return {
      title: 'my_events.title',
      heading: texts.text('my_events.heading'),
      sections: [
        {
          id: 'upcoming',
          heading: texts.text('my_events.upcoming'),
          paragraphs: upcoming.length > 0 ? [] : [texts.parts('my_events.none', {})],
          items: upcoming.map((event) => itemOf(context, event)),
          links: hasSite(context) ? [{ href: sitePath('events'), label: texts.text('my_events.find') }] : [],
        },
        calendarSection(context, calendar),
        ...(past.length > 0
          ? [{ id: 'past', heading: texts.text('my_events.past'), paragraphs: [], items: past.map((event) => itemOf(context, event)) }]
          : []),
      ],
    }
  },
  forms: { 'calendar/renew': { operation: 'renewCalendar', done: 'renewed' } },
}

function itemOf({ texts, now }: OwnPageContext, event: EventRow): AccountItem {
  const { state } = registrationFor(event, now)
  return {
    id: `event-${event.slug}`,
    title: [contentPart(plainText(event.title, 160))],
    href: accountEventPath(event.slug),
    ...((state === 'waiting' || state === 'offered' || state === 'canceled_event') && { mark: texts.text(`my_events.${state}`) }),
    lines: [[contentPart(periodOf(event, texts))], ...(event.location ? [[contentPart(plainText(event.location.name, 200))]] : [])],
    links: [{ href: calendarFile(event.slug), label: texts.text('my_events.add') }],
  }
}

/** Returns the path of an event as a file for calendar programs. */
const calendarFile = (slug: string): string => `${accountEventPath(slug)}/event.ics`

/** An event as a file for calendar programs. */
export const eventFile: OperationFile = {
  path: `${accountPaths.events}/:id_or_slug/event.ics`,
  operation: 'getEvent',
  type: 'text/calendar',
  filename: ({ id_or_slug: event }) => `${event}.ics`,
}

/** Shows the secret address of the calendar, and the button that creates or replaces it. */
function calendarSection({ texts, form }: OwnPageContext, url: string | undefined): AccountSection {
  return {
    id: 'calendar',
    heading: texts.text('calendar.heading'),
    paragraphs: [texts.parts('calendar.explanation', {})],
    copy:
      url === undefined
        ? undefined
        : { label: texts.text('calendar.address'), value: url, submit: texts.text('calendar.copy'), done: texts.text('calendar.copied') },
    links: url === undefined ? [] : [{ href: url.replace(/^https?:/, 'webcal:'), label: texts.text('calendar.subscribe') }],
    forms: [form('calendar/renew', { submit: texts.text(url === undefined ? 'calendar.create' : 'calendar.renew') })],
  }
}

/** The page on which a person registers for an event, and withdraws. */
export const eventPage: OwnPage<EventRow> = {
  path: `${accountPaths.events}/:event`,
  notices: {
    going: 'registration.done_going',
    waitlisted: 'registration.done_waitlisted',
    canceled: 'registration.done_canceled',
  },
  read: (request) => readEvent(request),
  build(context, event) {
    const { texts } = context
    const { services, school } = context.request
    const section = registrationSection(context, event, services.checkoutAddress(school, { type: 'event', id: event.id }))
    return {
      title: 'registration.title',
      heading: plainText(event.title, 160),
      back: { href: accountPaths.events, label: texts.text('my_events.title') },
      introduction: texts.parts('registration.time', { period: periodOf(event, texts) }),
      sections: [{ ...section, links: [...(section.links ?? []), ...linksOf(context, event, hasSite(context))] }],
    }
  },
  forms: {
    '': {
      operation: 'putMyRsvp',
      parameters: async (request) => ({ id: (await readEvent(request)).id }),
      body: (form) => ({ status: statusIn(form) }),
      // An older page must not change a registration that exists already, such as its guests.
      async doneBefore(form, request) {
        const { my_rsvp: own } = await readEvent(request)
        const isRegistered = own?.status === 'going' || own?.status === 'waitlisted'
        return isRegistered === (statusIn(form) === 'going') ? (own?.status ?? 'canceled') : undefined
      },
      done: ({ body }) => body.status,
      problems: {
        event_full: 'registration.full',
        rsvp_closed: 'registration.closed',
        checkout_required: 'registration.payment',
        access_denied: 'registration.not_admitted',
      },
    },
  },
}

const readEvent = async ({ perform, params }: OwnRequest): Promise<EventRow> =>
  (await perform('getEvent', { id_or_slug: params.event })).body

const statusIn = (form: URLSearchParams): 'canceled' | 'going' => (form.get('status') === 'canceled' ? 'canceled' : 'going')

const periodOf = (event: EventRow, texts: Texts): string =>
  inZone(event, periodText(event.starts_at, event.ends_at, { timeZone: event.time_zone, locale: texts.dateLocale }), texts)

/** Shows the state of the registration, the place, and the forms and links that change it. */
function registrationSection({ texts, form, now }: OwnPageContext, event: EventRow, checkout: string | undefined): AccountSection {
  const button = (status: 'going' | 'canceled', label: TextKey, kind?: AccountForm['kind']): AccountForm =>
    form('', { hidden: { status }, submit: texts.text(label), ...(kind && { kind }) })
  const { state, may } = registrationFor(event, now)
  const { offered_until: until = null, waitlist_position: position = null } = event.my_rsvp ?? {}
  const moment = (time: string | null): string => (time === null ? '' : textsIn(event.time_zone, texts).moment(new Date(time)))
  const values = { time: moment(state === 'offered' ? until : event.rsvp_opens_at), position: position ?? 0 }
  const place = event.location && [event.location.name, event.location.address].filter(Boolean).join(', ')
  return {
    id: 'registration',
    heading: texts.text('registration.heading'),
    paragraphs: [texts.parts(`registration.${state}`, values)],
    facts: place ? [{ label: texts.text('site.place'), value: [contentPart(plainText(place, 700))] }] : [],
    forms: [
      ...(may.register ? [button('going', 'registration.register', 'main')] : []),
      ...(may.wait ? [button('going', 'registration.join_waitlist', 'main')] : []),
      ...(may.withdraw ? [button('canceled', state === 'going' ? 'registration.withdraw' : 'registration.leave_waitlist')] : []),
    ],
    links: may.pay && checkout !== undefined ? [{ href: checkout, label: texts.text('site.buy_ticket') }] : [],
  }
}

/** Returns the links to take part online, to the recording, to the calendar, and to the public page. */
const linksOf = ({ texts }: OwnPageContext, event: EventRow, hasPage: boolean) => [
  ...(event.join_url && event.phase !== 'ended' ? [{ href: event.join_url, label: texts.text('my_events.join') }] : []),
  ...(event.recording_url ? [{ href: event.recording_url, label: texts.text('my_events.recording') }] : []),
  ...(event.status === 'published' && event.phase !== 'ended'
    ? [{ href: calendarFile(event.slug), label: texts.text('my_events.add') }]
    : []),
  ...(hasPage ? [{ href: sitePath('events', event.slug), label: texts.text('my_events.about') }] : []),
]
