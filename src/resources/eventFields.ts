import { z } from 'zod'
import { externalId, line, metadata, reference, slug, timestamp, webUrl } from '../framework/declare/fields.ts'
import { image } from '../framework/declare/image.ts'
import { richText } from '../framework/declare/richText.ts'

const address = (description: string) =>
  webUrl(['https']).nullable().meta({ description, example: 'https://meet.school.example/kiln', view: 'own' })

const time = (description: string) => timestamp().nullable().meta({ description, example: null })

const location = z
  .object({
    name: line(200).meta({ description: 'Name of the place.', example: 'Kiln house' }),
    address: z.string().max(500).nullable().default(null).meta({ description: 'Where it stands.', example: 'Quay 4, Port Lantern' }),
    latitude: z.number().min(-90).max(90).nullable().default(null).meta({ description: 'Degrees north.', example: 53.5 }),
    longitude: z.number().min(-180).max(180).nullable().default(null).meta({ description: 'Degrees east.', example: 10 }),
  })
  .nullable()

/** How an answer can stand. */
export const rsvpStatus = z.enum(['going', 'waitlisted', 'canceled', 'attended', 'no_show'])

/** What an event is made of. */
export const eventSchema = z.object({
  title: line(160).meta({ description: 'Name of the event.', example: 'Open Kiln Evening' }),
  slug: slug().meta({ description: 'Readable key, unique in the school.', example: 'open-kiln-evening' }),
  ...richText('description', {
    max: 20_000,
    description: 'What it is about; null for those to whom the event is closed.',
    example: 'We open the kiln together.',
    gated: true,
  }),
  kind: z.enum(['online', 'in_person', 'hybrid']).meta({ description: 'Where it takes place.', example: 'online' }),
  status: z.enum(['draft', 'published', 'canceled']).meta({
    description: 'Drafts are for those who host them. What was canceled stays to be seen, so that nobody comes.',
    example: 'published',
  }),
  phase: z.enum(['upcoming', 'live', 'ended']).meta({ description: 'Where it stands in time.', example: 'upcoming' }),
  starts_at: timestamp().meta({ description: 'When it begins.', example: '2027-03-01T18:30:00.000Z' }),
  ends_at: timestamp().meta({ description: 'When it is over, 14 days later at most.', example: '2027-03-01T20:30:00.000Z' }),
  time_zone: z
    .string()
    .max(60)
    .meta({ description: 'IANA name of the time zone that it is shown in; that of the school.', example: 'Europe/Berlin' }),
  cover_image: image('Picture of the event.').nullable().meta({ description: 'Picture of the event.', example: null }),
  location: location.meta({
    description: 'Where it takes place; null online, and for those to whom the event is closed.',
    example: null,
    gated: true,
  }),
  join_url: address('Where one comes in, online. Where seats are counted: for those who have one.'),
  recording_url: address('What was recorded.'),
  access: z.enum(['public', 'members', 'plans', 'course']).default('public').meta({ description: 'Who can take part.', example: 'public' }),
  plan_ids: z
    .array(reference('mpl', 'Id of a membership plan.'))
    .max(50)
    .meta({ description: 'Plans that open it; only with the access plans.', example: [] }),
  course_id: reference('crs', 'Course that it belongs to.')
    .nullable()
    .meta({ description: 'Course that it belongs to, and that opens it with the access course.', example: null, idPrefix: 'crs' }),
  host_lecturers: z
    .array(
      z.object({
        id: reference('lec', 'Id of the lecturer.'),
        display_name: z.string().meta({ description: 'Name of the lecturer.', example: 'Marlo Quillfeather' }),
        slug: slug().meta({ description: 'Readable key of the lecturer.', example: 'marlo-quillfeather' }),
      }),
    )
    .meta({ description: 'Who hosts it, the main host first; nobody for those to whom the event is closed.', example: [], gated: true }),
  capacity: z.int().min(1).max(100_000).nullable().meta({
    description: 'Number of seats; null where there is no limit, and for those to whom the event is closed.',
    example: 30,
    gated: true,
  }),
  waitlist_enabled: z.boolean().default(true).meta({ description: 'Whether one can wait for a seat.', example: true }),
  rsvp_opens_at: time('From when on one can answer.'),
  rsvp_closes_at: time('Until when one can answer; without it until the event is over.'),
  going_count: z
    .int()
    .nullable()
    .meta({ description: 'Seats taken, those of guests included; null for those to whom the event is closed.', example: 12, gated: true }),
  waitlisted_count: z.int().meta({ description: 'Seats waited for, those of guests included.', example: 0, view: 'staff' }),
  seats_left: z.int().nullable().meta({
    description: 'Seats that are free; null where there is no limit, and for those to whom the event is closed.',
    example: 18,
    gated: true,
  }),
  my_rsvp: z
    .object({
      id: reference('rsv', 'Id of the rsvp.'),
      status: rsvpStatus.meta({ description: 'How it stands.', example: 'going' }),
      waitlist_position: z.int().nullable().meta({ description: 'Place in the queue, from 1 on.', example: null }),
    })
    .nullable()
    .meta({ description: 'What you have answered.', example: null, view: 'own' }),
  comments_count: z.int().meta({ description: 'Comments that are published.', example: 3 }),
  published_at: time('When it was first announced.'),
  canceled_at: time('When it was canceled.'),
  cancel_reason: z
    .string()
    .max(500)
    .nullable()
    .meta({ description: 'Why it was canceled; null for those to whom the event is closed.', example: null, gated: true }),
  external_id: externalId(),
  metadata: metadata(),
})
