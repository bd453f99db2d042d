import { z } from 'zod'
import { answerEvent } from '../domain/events/answering.ts'
import { duplicateEvent } from '../domain/events/duplicateEvent.ts'
import { hasAnswered, isAnnounced, isForEverybody, isForPlan, isHosted, isInvited } from '../domain/events/eventAccess.ts'
import {
  hasShownHost,
  hostsOf,
  isInPhase,
  ownAnswerOf,
  phaseOf,
  plansOf,
  shownJoinUrl,
  shownLocation,
  shownRecordingUrl,
} from '../domain/events/eventParts.ts'
import { cancelEvent, fillSeats, publishEvent, removeEventParts, unpublishEvent } from '../domain/events/eventStates.ts'
import { checkEvent, eventDefaults, keepEventParts, requireNotCanceled } from '../domain/events/eventWriting.ts'
import { changeAnswer, recordAttendance } from '../domain/events/staffAnswers.ts'
import { htmlColumn } from '../domain/richText.ts'
import { defineResource } from '../framework/declare/defineResource.ts'
import { everything } from '../framework/declare/expressions.ts'
import { reference } from '../framework/declare/fields.ts'
import { imageField } from '../framework/declare/image.ts'
import type { Resource } from '../framework/declare/resource.ts'
import { freeSlug } from '../framework/declare/slugs.ts'
import { defineAction } from '../framework/declare/typedOperations.ts'
import { courses } from './courses.ts'
import { eventArea } from './eventArea.ts'
import { calendar } from './eventCalendar.ts'
import { eventSchema, rsvpStatus } from './eventFields.ts'
import { lecturers } from './lecturers.ts'
import { rsvps } from './rsvps.ts'

const rsvpPath = z.object({
  rsvp_id: reference('rsv', 'Id of the rsvp.').meta({ description: 'Id of the rsvp.', example: 'rsv_01jgwejj00e6srgkpqm2sqf05m' }),
})

/** What the school invites to. */
export const events = defineResource({
  name: 'events',
  object: 'event',
  idPrefix: 'evt',
  table: 'event',
  feature: 'events',
  about:
    'An event of the school: a webinar, a workshop, an evening. Events for members, plans or a course are announced to everybody with title, dates and picture. All else is for those who may come.',
  scopes: eventArea,
  schema: eventSchema,
  derived: {
    phase: { from: ['starts_at', 'ends_at'], of: (event) => phaseOf(event) },
    cover_image: imageField('event', 'cover_image'),
    location: { select: shownLocation, write: (location) => ({ location: location === null ? null : JSON.stringify(location) }) },
    join_url: { select: shownJoinUrl, write: (join_url) => ({ join_url }) },
    recording_url: { select: shownRecordingUrl, write: (recording_url) => ({ recording_url }) },
    plan_ids: { select: plansOf, write: () => ({}) },
    host_lecturers: { select: hostsOf },
    seats_left: {
      from: ['capacity', 'going_count'],
      of: ({ capacity, going_count }) => (capacity === null ? null : Math.max(0, capacity - going_count)),
    },
    my_rsvp: { select: ownAnswerOf },
  },
  inputs: z.object({
    lecturer_ids: z
      .array(reference('lec', 'Id of a lecturer.'))
      .max(10)
      .meta({ description: 'Who hosts it, the main host first.', example: [] }),
  }),
  currentInputs: { lecturer_ids: ({ host_lecturers }) => ((host_lecturers ?? []) as { id: string }[]).map(({ id }) => id) },
  writable: [
    'title',
    'slug',
    'description',
    'description_format',
    'kind',
    'starts_at',
    'ends_at',
    'time_zone',
    'cover_image',
    'location',
    'join_url',
    'recording_url',
    'access',
    'plan_ids',
    'course_id',
    'capacity',
    'waitlist_enabled',
    'rsvp_opens_at',
    'rsvp_closes_at',
    'external_id',
    'metadata',
  ],
  required: ['title', 'kind', 'starts_at', 'ends_at'],
  slugFrom: 'title',
  filters: [
    'status',
    {
      name: 'phase',
      description: 'where it stands in time: upcoming, live or ended',
      value: eventSchema.shape.phase,
      where: isInPhase,
    },
    'kind',
    'access',
    {
      name: 'course',
      description: 'the id of a course',
      value: reference('crs', 'Id of a course.'),
      where: (event, ids: readonly string[]) => event('course_id', 'in', [...ids]),
    },
    { name: 'plan', description: 'the id of a plan that opens it', value: reference('mpl', 'Id of a plan.'), where: isForPlan },
    { name: 'lecturer', description: 'the id of a host', value: reference('lec', 'Id of a lecturer.'), where: hasShownHost },
    'starts_at',
    'created_at',
    'updated_at',
    'slug[prefix]',
    'external_id',
  ],
  search: ['title', 'slug'],
  sorts: ['starts_at', 'updated_at'],
  exports: true,
  representations: [calendar],
  expand: {
    host_lecturers: {
      resource: (): Resource => lecturers,
      ids: (row) => ((row.host_lecturers ?? []) as { id: string }[]).map(({ id }) => id),
    },
    course: { resource: (): Resource => courses, id: ({ course_id }) => course_id },
  },
  visibility: {
    anonymous: isAnnounced,
    learner: isAnnounced,
    lecturer: (event, me) => event.or([isAnnounced(event), isHosted(event, me)]),
    staff: everything,
  },
  views: { staff: isHosted, own: (event, me) => event.or([isInvited(event, me), hasAnswered(event, me)]) },
  ungated: isForEverybody,
  operations: {
    list: 'read',
    get: 'read',
    create: {
      scope: 'write',
      roles: ['lecturer', 'staff'],
      check: checkEvent,
      defaults: eventDefaults,
      after: (writing, event, values) => keepEventParts(writing, event, values, true),
    },
    update: {
      scope: 'write',
      roles: ['lecturer', 'staff'],
      view: 'staff',
      check: checkEvent,
      async before(_writing, event, values) {
        requireNotCanceled(event)
        return htmlColumn('description', values)
      },
      async after(writing, event, changed) {
        await keepEventParts(writing, event, changed)
        if ('capacity' in changed) await fillSeats(writing, event)
      },
    },
    remove: { scope: 'write', roles: ['lecturer', 'staff'], view: 'staff', from: ['draft'], before: removeEventParts },
  },
  actions: {
    publish: {
      scope: 'write',
      roles: ['lecturer', 'staff'],
      view: 'staff',
      summary: 'Announce an event',
      from: ['draft'],
      to: 'published',
      run: publishEvent,
    },
    unpublish: {
      scope: 'write',
      roles: ['lecturer', 'staff'],
      view: 'staff',
      summary: 'Make a draft of an event again',
      from: ['published'],
      to: 'draft',
      run: unpublishEvent,
    },
    cancel: defineAction('event', {
      scope: 'write',
      roles: ['lecturer', 'staff'],
      view: 'staff',
      summary: 'Call an event off, and tell those who would have come',
      input: z.object({
        reason: z.string().min(1).max(500).nullable().optional().meta({ description: 'Why: they are told.', example: 'The kiln is cold.' }),
      }),
      run: cancelEvent,
    }),
    duplicate: {
      scope: 'write',
      roles: ['lecturer', 'staff'],
      view: 'staff',
      summary: 'Copy an event as a draft',
      status: 201,
      async perform(writing, event) {
        const { writer, school } = writing
        const free = (title: string, id: string): Promise<string> => freeSlug(writer, events, { schoolId: school.id, title, id })
        return { made: await duplicateEvent(writing, event, free) }
      },
    },
    'rsvps/me': defineAction('event', {
      scope: 'write',
      view: 'public',
      id: 'putMyRsvp',
      method: 'PUT',
      summary: 'Answer to an event: take a seat, wait for one, or give it up',
      input: z.object({
        status: z.enum(['going', 'canceled']).meta({ description: 'Whether you come.', example: 'going' }),
        guests: z.int().min(0).max(5).default(0).meta({ description: 'How many come with you.', example: 0 }),
        note: z.string().min(1).max(500).nullable().default(null).meta({ description: 'What the hosts should know.', example: null }),
      }),
      answers: (): Resource => rsvps,
      async perform(writing, event, input) {
        const { id, isNew } = await answerEvent(writing, event, input as unknown as Parameters<typeof answerEvent>[2])
        return { isUnchanged: !isNew, answered: id }
      },
    }),
    'rsvps/{rsvp_id}': defineAction('event', {
      scope: 'write',
      roles: ['lecturer', 'staff'],
      view: 'staff',
      id: 'updateRsvp',
      method: 'PATCH',
      summary: 'Give somebody a seat, take it away, or note whether they came',
      parameters: rsvpPath,
      input: z.object({
        status: rsvpStatus.exclude(['waitlisted']).meta({ description: 'What it shall be.', example: 'going' }),
      }),
      answers: (): Resource => rsvps,
      async perform(writing, event, { status }) {
        const { id, isNew } = await changeAnswer(writing, event, writing.parameters.get('rsvp_id') as string, status as string)
        return { isUnchanged: !isNew, answered: id }
      },
    }),
    attendance: defineAction('event', {
      scope: 'write',
      roles: ['lecturer', 'staff'],
      view: 'staff',
      id: 'recordAttendance',
      summary: 'Note who came to an event',
      input: z.object({
        attended: z.array(reference('rsv', 'Id of an rsvp.')).max(500).meta({
          description: 'Who came. Who has a seat and was never named did not come; a long list is sent in parts.',
          example: [],
        }),
      }),
      output: z.object({
        attended: z.int().meta({ description: 'How many came.', example: 21 }),
        no_show: z.int().meta({ description: 'How many had a seat and did not come.', example: 4 }),
      }),
      async perform(writing, event, { attended }) {
        const { counts, isUnchanged } = await recordAttendance(writing, event, attended as string[])
        return { isUnchanged, body: async () => counts }
      },
    }),
  },
})
