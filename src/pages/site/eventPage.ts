import { accountEventPath } from '../../base/accountPaths.ts'
import type { SiteAction, SiteFact } from '../../base/sitePage.ts'
import { textOfHtml } from '../../base/text/sanitisedHtml.ts'
import { periodText } from '../../base/timeZone.ts'
import { sitePath } from '../../engine/sitePaths.ts'
import type { EventRow as Event } from '../../school/apiRows.ts'
import { registrationFor } from '../registration.ts'
import type { Texts } from '../texts.ts'
import { askText } from './courseOffer.ts'
import { personNode, priceNode, type SiteContext, schoolNode, siteLink, sitePicture, siteType } from './siteType.ts'
import { inZone, priceOf } from './valueTexts.ts'

const itemFields = 'title,slug,kind,status,phase,starts_at,ends_at,time_zone,price,seats_left,cover_image'

export const eventPages = siteType({
  list: (source, parameters) => source.list('listEvents', { ...parameters, fields: itemFields }),
  filters: { phase: 'upcoming,live' },
  published: { status: 'published,canceled' },
  choices: {
    kind: {
      label: 'site.place',
      options: { '': 'site.any', online: 'site.place_online', in_person: 'site.place_in_person', hybrid: 'site.place_hybrid' },
    },
  },
  past: {
    filters: { phase: 'ended', sort: '-starts_at' },
    name: 'site.past_events',
    description: 'site.past_events_description',
  },
  one: (source, idOrSlug) => source.get('getEvent', { id_or_slug: idOrSlug }),
  item(event, context) {
    const { texts, issuer } = context
    return {
      link: siteLink('events', { slug: event.slug, label: event.title }),
      line: [...(event.status === 'canceled' ? [texts.text('site.event_canceled')] : []), periodOf(event, texts)].join(': '),
      details: [texts.text(`site.place_${event.kind}`), ...(isComing(event) ? offerTexts(event, context) : [])],
      picture: sitePicture(event.cover_image, issuer),
    }
  },
  page(event, context) {
    const { issuer, texts, schoolName } = context
    const { title, slug } = event
    const period = periodOf(event, texts)
    const isCanceled = event.status === 'canceled'
    const description =
      textOfHtml(event.description_html ?? '', 160) || texts.text('site.event_description', { title, school: schoolName, period })
    return {
      slug,
      title,
      description,
      isIndexed: true,
      heading: title,
      lead: undefined,
      picture: sitePicture(event.cover_image, issuer),
      shareImage: event.cover_image ?? undefined,
      notices: [
        ...(isCanceled ? [[texts.text('site.event_canceled'), event.cancel_reason].filter(Boolean).join(': ')] : []),
        ...(event.phase === 'ended' && !isCanceled ? [texts.text('site.event_ended')] : []),
        ...(isComing(event) ? registrationNotices(event, context) : []),
      ],
      prices: event.price && isComing(event) ? [{ label: texts.text('site.price'), value: priceOf(event.price, context) }] : [],
      facts: factsOf(event, period, context),
      actions: actionsOf(event, context),
      sections: [{ heading: texts.text('site.about_event'), html: event.description_html ?? undefined }],
      data: [eventNode(event, description, context)],
    }
  },
})

function factsOf(event: Event, period: string, context: SiteContext): SiteFact[] {
  const { texts } = context
  const hosts = event.host_lecturers
  const place = event.location
  return [
    { label: texts.text('site.time'), value: inZone(event, period, texts), time: event.starts_at },
    {
      label: texts.text('site.place'),
      value: [texts.text(`site.place_${event.kind}`), place?.name, place?.address].filter(Boolean).join(', '),
    },
    ...(hosts.length > 0
      ? [
          {
            label: texts.text('site.hosts'),
            value: hosts.map(({ display_name }) => display_name).join(', '),
            links: hosts.map(({ slug, display_name: label }) => siteLink('lecturers', { slug, label })),
          },
        ]
      : []),
    { label: texts.text('site.audience'), value: texts.text(`site.audience_${event.access}`) },
    ...(event.seats_left === null || !isComing(event)
      ? []
      : [{ label: texts.text('site.seats'), value: seatsText(event.seats_left, texts) }]),
  ]
}

type EventItem = Pick<Event, 'status' | 'phase' | 'starts_at' | 'ends_at' | 'time_zone' | 'price' | 'seats_left'>

const periodOf = ({ starts_at, ends_at, time_zone: timeZone }: EventItem, { dateLocale: locale }: Texts): string =>
  periodText(starts_at, ends_at, { timeZone, locale })

const isComing = ({ status, phase }: EventItem): boolean => status === 'published' && phase !== 'ended'

const seatsText = (seats: number, texts: Texts): string =>
  seats === 0 ? texts.text('site.fully_booked') : texts.counted('site.seats_left', seats)

/** Returns the price of an event in a list, or that it is fully booked. */
const offerTexts = ({ price, seats_left: seats }: EventItem, context: SiteContext): string[] => [
  ...(price ? [priceOf(price, context)] : []),
  ...(seats === 0 ? [context.texts.text('site.fully_booked')] : []),
]

/** The registration for an event at this time. */
function registrationOf({ rsvp_opens_at: opens, rsvp_closes_at: closes }: Event, now = new Date()): 'early' | 'open' | 'late' {
  if (opens !== null && now < new Date(opens)) return 'early'
  return closes !== null && new Date(closes) <= now ? 'late' : 'open'
}

/** Returns what the page says to a person about their registration; undefined if it says the same to everybody. */
function ownNotice(event: Event, { texts, viewer }: SiteContext): string | undefined {
  const { state } = registrationFor(event, new Date())
  const { offered_until: until, waitlist_position: position } = event.my_rsvp ?? {}
  if (!viewer) return undefined
  if (state === 'going' || state === 'not_admitted') return texts.text(`registration.${state}`)
  if (state === 'waiting') return texts.text('registration.waiting', { position: position ?? 0 })
  return state === 'offered' && until ? texts.text('registration.offered', { time: texts.moment(new Date(until)) }) : undefined
}

function registrationNotices(event: Event, context: SiteContext): string[] {
  const { texts } = context
  const own = ownNotice(event, context)
  if (own !== undefined) return [own]
  const registration = registrationOf(event)
  const isUnpayable = isOnSale(event) && context.checkoutOf({ type: 'event', id: event.id }) === undefined
  if (registration === 'open') return isUnpayable ? [askText(context)] : []
  if (registration === 'late') return [texts.text('site.registration_closed')]
  return [texts.text('site.registration_opens', { time: texts.moment(new Date(event.rsvp_opens_at ?? '')) })]
}

/** Returns true if everybody can buy a ticket now. A restricted event is left out: a ticket alone does not admit a visitor to it. */
const isOnSale = (event: Event): boolean =>
  event.price !== null && event.access === 'public' && isComing(event) && event.seats_left !== 0 && registrationOf(event) === 'open'

/** Returns the link to a ticket or to the registration page. */
function actionsOf(event: Event, { checkoutOf, texts, viewer }: SiteContext): SiteAction[] {
  const registration = registrationOf(event)
  const { state } = registrationFor(event, new Date())
  if (viewer && (state === 'going' || state === 'waiting' || state === 'offered'))
    return [{ href: accountEventPath(event.slug), label: texts.text('site.own_registration') }]
  if (viewer && state === 'not_admitted') return []
  if (!isComing(event) || registration === 'early') return []
  const checkout = isOnSale(event) ? checkoutOf({ type: 'event', id: event.id }) : undefined
  if (checkout !== undefined) return [{ href: checkout, label: texts.text('site.buy_ticket') }]
  const mayWait = event.seats_left === 0 && event.waitlist_enabled
  const isOpen = registration === 'open' && (event.seats_left !== 0 || mayWait)
  // People who are registered can withdraw until the event ends.
  const label = !isOpen ? 'site.own_registration' : mayWait ? 'site.join_waitlist' : 'site.register'
  const { register, wait } = registrationFor(event, new Date()).may
  const isOnePress = viewer !== undefined && isOpen && (register ?? wait) === true
  return [{ href: accountEventPath(event.slug), label: texts.text(label), ...(isOnePress && { fields: { status: 'going' } }) }]
}

/** The price of a seat (schema.org Offer); none for an event that was cancelled or has ended. */
function offerNode(event: Event, url: string, context: SiteContext) {
  const { price, seats_left: seats } = event
  if (!price || !isComing(event)) return {}
  return {
    offers: {
      '@type': 'Offer',
      url: (isOnSale(event) && context.checkoutOf({ type: 'event', id: event.id })) || url,
      ...priceNode(price, context),
      availability: `https://schema.org/${seats === 0 ? 'SoldOut' : 'InStock'}`,
      ...(event.rsvp_opens_at !== null && { validFrom: event.rsvp_opens_at }),
      ...(event.rsvp_closes_at !== null && { validThrough: event.rsvp_closes_at }),
    },
  }
}

function eventNode(event: Event, description: string, context: SiteContext) {
  const { issuer } = context
  const url = issuer + sitePath('events', event.slug)
  const hosts = event.host_lecturers
  const online = { '@type': 'VirtualLocation', url }
  const place = {
    '@type': 'Place',
    name: event.location?.name ?? context.schoolName,
    ...(event.location?.address && { address: event.location.address }),
  }
  const mode = { online: 'Online', in_person: 'Offline', hybrid: 'Mixed' }[event.kind]
  return {
    '@type': 'Event',
    '@id': url,
    url,
    name: event.title,
    description,
    startDate: event.starts_at,
    endDate: event.ends_at,
    eventStatus: `https://schema.org/${event.status === 'canceled' ? 'EventCancelled' : 'EventScheduled'}`,
    eventAttendanceMode: `https://schema.org/${mode}EventAttendanceMode`,
    location: mode === 'Online' ? online : mode === 'Offline' ? place : [online, place],
    organizer: schoolNode(context),
    ...offerNode(event, url, context),
    ...(event.cover_image && { image: event.cover_image.url }),
    ...(hosts.length > 0 && { performer: hosts.map((one) => personNode(issuer, one)) }),
  }
}
