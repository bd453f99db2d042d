import { z } from 'zod'
import { externalId, image, line, metadata, money, reference, slug, text, timestamp, webUrl } from '../../engine/declare/fields.ts'
import { richText } from '../../engine/declare/richText.ts'
import { timeZone } from '../../engine/declare/typedTexts.ts'

const address = (description: string) =>
  webUrl(['https']).nullable().meta({ description, example: 'https://meet.school.example/kiln', view: 'own' })

const time = (description: string) => timestamp().nullable().meta({ description, example: null })

const location = z
  .object({
    name: line(200).meta({ description: 'Name of the place.', example: 'Kiln house' }),
    address: z.string().max(500).nullable().default(null).meta({ description: 'Postal address.', example: 'Quay 4, Port Lantern' }),
    latitude: z.number().min(-90).max(90).nullable().default(null).meta({ description: 'Degrees north.', example: 53.5 }),
    longitude: z.number().min(-180).max(180).nullable().default(null).meta({ description: 'Degrees east.', example: 10 }),
  })
  .meta({ component: 'EventLocation' })
  .nullable()

export const rsvpStatus = z.enum(['going', 'waitlisted', 'canceled', 'attended', 'no_show']).meta({ component: 'RsvpStatus' })

export const offeredUntil = timestamp().nullable().meta({
  description:
    'Until when a seat of an event with a price is held for the person on the waitlist, who pays at the checkout; null if none is.',
  example: null,
})

export const eventSchema = z.object({
  title: line(160).meta({ description: 'Name of the event.', example: 'Open Kiln Evening' }),
  slug: slug().meta({ description: 'Readable key, unique in the school.', example: 'open-kiln-evening' }),
  ...richText('description', {
    max: 20_000,
    description: 'Description; null for callers who cannot attend the event.',
    example: 'We open the kiln together.',
    gated: true,
  }),
  kind: z
    .enum(['online', 'in_person', 'hybrid'])
    .meta({ component: 'EventKind' })
    .meta({ description: 'Kind of place: online, in person, or both.', example: 'online' }),
  status: z.enum(['draft', 'published', 'canceled']).meta({ component: 'EventStatus' }).meta({
    description: 'Only hosts and staff see drafts. Cancelled events remain visible.',
    example: 'published',
  }),
  phase: z
    .enum(['upcoming', 'live', 'ended'])
    .meta({ component: 'EventPhase' })
    .meta({ description: 'Phase in time.', example: 'upcoming' }),
  starts_at: timestamp().meta({ description: 'When it begins.', example: '2027-03-01T18:30:00.000Z' }),
  ends_at: timestamp().meta({ description: 'When it ends, at most 14 days after the start.', example: '2027-03-01T20:30:00.000Z' }),
  time_zone: timeZone().meta({
    description: 'IANA name of the time zone in which times are shown; by default that of the school.',
    example: 'Europe/Berlin',
  }),
  cover_image: image('Picture of the event.').nullable().meta({ description: 'Picture of the event.', example: null }),
  location: location.meta({
    description: 'Place of the event; null for an online event, and for callers who cannot attend it.',
    example: null,
    gated: true,
  }),
  join_url: address('URL to join online. If the event has a capacity, only people with a seat see it.'),
  recording_url: address('URL of the recording.'),
  access: z
    .enum(['public', 'members', 'plans', 'course'])
    .meta({ component: 'EventAccess' })
    .default('public')
    .meta({ description: 'Who can attend.', example: 'public' }),
  plan_ids: z
    .array(reference('mpl', 'Id of a membership plan.'))
    .max(50)
    .meta({ description: 'Plans that give access; only with access plans.', example: [] }),
  course_id: reference('crs', 'Course of the event.')
    .nullable()
    .meta({ description: 'Course of the event, which gives access with access course.', example: null, idPrefix: 'crs' }),
  host_lecturers: z
    .array(
      z
        .object({
          id: reference('lec', 'Id of the lecturer.'),
          display_name: z.string().meta({ description: 'Name of the lecturer.', example: 'Marlo Quillfeather' }),
          slug: slug().meta({ description: 'Readable key of the lecturer.', example: 'marlo-quillfeather' }),
        })
        .meta({ component: 'LecturerSummary' }),
    )
    .meta({ description: 'Hosts, main host first; empty for callers who cannot attend the event.', example: [], gated: true }),
  price: money('Price of a seat.')
    .nullable()
    .meta({ description: 'Price of a seat; null for an event without a price.', example: { amount: 1500, currency: 'EUR' } }),
  capacity: z.int().min(1).max(100_000).nullable().meta({
    description: 'Number of seats; null without a limit, and for callers who cannot attend the event.',
    example: 30,
    gated: true,
  }),
  waitlist_enabled: z.boolean().default(true).meta({ description: 'True if the event has a waitlist.', example: true }),
  waitlist_mode: z.enum(['party', 'seat']).meta({ component: 'WaitlistMode' }).default('party').meta({
    description:
      'Who gets a free seat. party: the first on the waitlist, who waits until the seats suffice for all guests. seat: the first on the waitlist for whom the free seats suffice, who can overtake a larger party.',
    example: 'party',
  }),
  waitlist_offer_hours: z.int().min(1).max(168).default(24).meta({
    description:
      'Hours for which a seat of an event with a price is held for a person from the waitlist, who gets an e-mail with the checkout URL. If the person has not paid by then, the RSVP is cancelled and the next person gets the seat.',
    example: 24,
    view: 'staff',
  }),
  reminder_hours: z.int().min(1).max(168).nullable().meta({
    description: 'Hours before the start at which people with a seat get a reminder by e-mail; null without one.',
    example: 24,
    view: 'staff',
  }),
  rsvp_opens_at: time('When RSVPs open.'),
  rsvp_closes_at: time('When RSVPs close. Default: at the end of the event.'),
  going_count: z
    .int()
    .nullable()
    .meta({ description: 'Taken seats, including guests; null for callers who cannot attend the event.', example: 12, gated: true }),
  waitlisted_count: z.int().meta({ description: 'Seats requested on the waitlist, including guests.', example: 0, view: 'staff' }),
  seats_left: z.int().nullable().meta({
    description:
      'Free seats for a new RSVP; 0 while people are on a waitlist by party, who come first. Null without a limit, and for callers who cannot attend the event.',
    example: 18,
    gated: true,
  }),
  my_rsvp: z
    .object({
      id: reference('rsv', 'Id of the RSVP.'),
      status: rsvpStatus.meta({ description: 'Status of the RSVP.', example: 'going' }),
      waitlist_position: z.int().nullable().meta({ description: 'Position on the waitlist, from 1.', example: null }),
      offered_until: offeredUntil,
    })
    .nullable()
    .meta({ description: 'Your own RSVP.', example: null, view: 'own' }),
  comments_count: z.int().meta({ description: 'Number of published comments.', example: 3 }),
  published_at: time('When it was first published.'),
  canceled_at: time('When it was cancelled.'),
  cancel_reason: z
    .string()
    .max(500)
    .nullable()
    .meta({ description: 'Reason for the cancellation; null for callers who cannot attend the event.', example: null, gated: true }),
  move_notice: z
    .object({
      notified: z.int().meta({ description: 'Number of people who have a seat or are on the waitlist now.', example: 24 }),
      due_at: timestamp().meta({
        description: 'When the e-mail is sent. Each further change postpones it.',
        example: '2027-02-01T10:02:00.000Z',
      }),
    })
    .nullable()
    .meta({
      description:
        'The e-mail about a new time or place that is about to be sent; null if there is none. Changes within two minutes are one e-mail, and a change that is undone sends nothing.',
      example: null,
      view: 'staff',
    }),
  external_id: externalId(),
  metadata: metadata(),
})

/** The fields of an event that requests contain and responses do not. */
export const eventInputs = z.object({
  lecturer_ids: z
    .array(reference('lec', 'Id of a lecturer.'))
    .max(10)
    .meta({ description: 'Hosts of the event, main host first.', example: [] }),
  notify: z.boolean().meta({
    description:
      'False to send no e-mail. Otherwise people who have a seat or are on the waitlist of a published event that is not over get one if `starts_at`, `ends_at` or `location` changes.',
    example: true,
    isOption: true,
  }),
})

export const rsvpPath = z.object({
  rsvp_id: reference('rsv', 'Id of the RSVP.').meta({ description: 'Id of the RSVP.', example: 'rsv_01jgwejj00e6srgkpqm2sqf05m' }),
})

export const cancellation = z.object({
  reason: text(500)
    .nullable()
    .optional()
    .meta({ description: 'Reason, which the e-mail to the attendees contains.', example: 'The kiln is cold.' }),
})

export const ownRsvp = z.object({
  status: z.enum(['going', 'canceled']).meta({ description: 'going to attend, canceled to withdraw.', example: 'going' }),
  guests: z.int().min(0).max(5).default(0).meta({ description: 'Number of accompanying guests.', example: 0 }),
  note: text(500).nullable().default(null).meta({ description: 'Note to the hosts.', example: null }),
})

export const rsvpChange = z.object({
  status: rsvpStatus.exclude(['waitlisted']).meta({ description: 'The new status.', example: 'canceled' }),
})

export const attendance = z.object({
  attended: z.array(reference('rsv', 'Id of an RSVP.')).max(500).meta({
    description: 'RSVPs of the people who came. Seats that no request names become no_show; send a long list in parts.',
    example: [],
  }),
})

export const attendanceCounts = z.object({
  attended: z.int().meta({ description: 'Number of people who came.', example: 21 }),
  no_show: z.int().meta({ description: 'Number of people who had a seat and did not come.', example: 4 }),
})
