import { textOfHtml } from '../../lib/sanitisedHtml.ts'
import type { SiteFact } from '../../policy/sitePage.ts'
import { sitePath } from '../../resources/sitePaths.ts'
import { eventItemRow, eventRow } from '../../resources/siteRows.ts'
import type { TextKey } from '../texts.ts'
import { personNode, type SiteContext, type SiteType, schoolNode, siteLink, sitePicture } from './siteType.ts'
import { periodText } from './valueTexts.ts'

type Event = ReturnType<typeof eventRow.parse>

const places: Readonly<Record<string, TextKey>> = {
  online: 'site.place_online',
  in_person: 'site.place_in_person',
  hybrid: 'site.place_hybrid',
}

const audiences: Readonly<Record<string, TextKey>> = {
  public: 'site.audience_public',
  members: 'site.audience_members',
  plans: 'site.audience_plans',
  course: 'site.audience_course',
}

/** The pages of events. */
export const eventPages: SiteType = {
  list: { phase: 'upcoming,live', fields: 'title,slug,kind,status,phase,starts_at,ends_at,time_zone,cover_image' },
  one: {},
  item(row, { texts, issuer }) {
    const event = eventItemRow.parse(row)
    return {
      link: siteLink('events', { slug: event.slug, label: event.title }),
      line: periodText(event.starts_at, event.ends_at, { timeZone: event.time_zone, language: texts.language }),
      details: [
        texts.text(places[event.kind] ?? 'site.place_online'),
        ...(event.status === 'canceled' ? [texts.text('site.event_canceled')] : []),
      ],
      picture: sitePicture(event.cover_image, issuer),
    }
  },
  page(row, context) {
    const { issuer, texts, schoolName } = context
    const event = eventRow.parse(row)
    const { title, slug } = event
    const period = periodText(event.starts_at, event.ends_at, { timeZone: event.time_zone, language: texts.language })
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
      shareImage: event.cover_image?.url,
      notices: [
        ...(isCanceled ? [[texts.text('site.event_canceled'), event.cancel_reason].filter(Boolean).join(': ')] : []),
        ...(event.phase === 'ended' && !isCanceled ? [texts.text('site.event_ended')] : []),
      ],
      facts: factsOf(event, period, context),
      sections: [{ heading: texts.text('site.about_event'), html: event.description_html ?? undefined }],
      data: [eventNode(event, description, context)],
    }
  },
}

function factsOf(event: Event, period: string, { texts }: SiteContext): SiteFact[] {
  const hosts = event.host_lecturers ?? []
  const place = event.location
  return [
    { label: texts.text('site.time'), value: `${period} (${event.time_zone})`, time: event.starts_at },
    {
      label: texts.text('site.place'),
      value: [texts.text(places[event.kind] ?? 'site.place_online'), place?.name, place?.address].filter(Boolean).join(', '),
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
    { label: texts.text('site.audience'), value: texts.text(audiences[event.access] ?? 'site.audience_members') },
    ...(event.seats_left === null || event.phase === 'ended'
      ? []
      : [
          {
            label: texts.text('site.seats'),
            value: event.seats_left === 0 ? texts.text('site.fully_booked') : texts.counted('site.seats_left', event.seats_left),
          },
        ]),
  ]
}

function eventNode(event: Event, description: string, context: SiteContext) {
  const { issuer } = context
  const url = issuer + sitePath('events', event.slug)
  const hosts = event.host_lecturers ?? []
  const online = { '@type': 'VirtualLocation', url }
  const place = {
    '@type': 'Place',
    name: event.location?.name ?? context.schoolName,
    ...(event.location?.address && { address: event.location.address }),
  }
  const mode = { online: 'Online', in_person: 'Offline', hybrid: 'Mixed' }[event.kind] ?? 'Online'
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
    ...(event.cover_image && { image: event.cover_image.url }),
    ...(hosts.length > 0 && { performer: hosts.map((one) => personNode(issuer, one)) }),
  }
}
