// More than 250 lines: one declaration.

import { defineResource } from '../../engine/declare/defineResource.ts'
import { everything, idsIn } from '../../engine/declare/expressions.ts'
import { imageField, reference } from '../../engine/declare/fields.ts'
import type { Resource } from '../../engine/declare/resource.ts'
import { freeSlug } from '../../engine/declare/slugs.ts'
import { defineAction } from '../../engine/declare/typedOperations.ts'
import { courses } from '../courses/courses.ts'
import { lecturers } from '../lecturers/lecturers.ts'
import { requirePublisher } from '../lecturers/requirePublisher.ts'
import { htmlColumn } from '../markupRenderer.ts'
import { priceField } from '../orders/priceField.ts'
import { duplicateEvent } from './duplicateEvent.ts'
import { hasOwnRsvp, hasRsvp, isAnnounced, isForEverybody, isForPlan, isHosted, isInvited } from './eventAccess.ts'
import { eventArea } from './eventArea.ts'
import { calendar } from './eventCalendar.ts'
import {
  attendance,
  attendanceCounts,
  cancellation,
  eventInputs,
  eventSchema,
  ownRsvp,
  rsvpChange,
  rsvpPath,
  rsvpStatus,
} from './eventFields.ts'
import {
  hasShownHost,
  hostsOf,
  isInPhase,
  ownRsvpOf,
  phaseOf,
  plansOf,
  seatsLeftOf,
  shownJoinUrl,
  shownLocation,
  shownRecordingUrl,
} from './eventParts.ts'
import { cancelEvent, fillSeats, publishEvent, removeEventParts, unpublishEvent } from './eventStates.ts'
import { checkEvent, checkEventCaller, eventDefaults, requireNotCanceled, saveEventParts } from './eventWriting.ts'
import { moveNoticeOf, noteMove } from './moveNotices.ts'
import { rsvps } from './rsvps.ts'
import { changeRsvpStatus, recordAttendance } from './staffRsvps.ts'
import { submitRsvp } from './submitRsvp.ts'

export const events = defineResource({
  name: 'events',
  object: 'event',
  idPrefix: 'evt',
  table: 'event',
  feature: 'events',
  about:
    'An event of the school, such as a webinar or a workshop. Everybody sees the title, the dates and the picture of a restricted event; all other fields are visible only to people who may attend.',
  undo: true,
  scopes: eventArea,
  catalogue: {
    row: ['title', 'slug', 'starts_at', 'ends_at', 'time_zone', 'kind', 'access', 'price', 'seats_left'],
    filters: ['phase', 'kind', 'access', 'course_id', 'lecturer_id', 'starts_at[gte]', 'starts_at[lte]'],
  },
  schema: eventSchema,
  derived: {
    phase: { from: ['starts_at', 'ends_at'], of: (event) => phaseOf(event) },
    cover_image: imageField('event', 'cover_image'),
    price: priceField('price'),
    location: { select: shownLocation, write: (location) => ({ location: location === null ? null : JSON.stringify(location) }) },
    join_url: { select: shownJoinUrl, write: (join_url) => ({ join_url }) },
    recording_url: { select: shownRecordingUrl, write: (recording_url) => ({ recording_url }) },
    plan_ids: { select: plansOf, write: () => ({}) },
    host_lecturers: { select: hostsOf },
    seats_left: {
      from: ['capacity', 'going_count', 'waitlisted_count', 'waitlist_mode'],
      of: (event) => seatsLeftOf(event),
    },
    my_rsvp: { select: ownRsvpOf },
    move_notice: { select: moveNoticeOf },
  },
  live: {
    phase: 'always',
    location: 'people',
    join_url: 'people',
    recording_url: 'people',
    going_count: 'always',
    waitlisted_count: 'always',
    seats_left: 'always',
    comments_count: 'always',
    my_rsvp: 'always',
    move_notice: 'always',
  },
  inputs: eventInputs,
  currentInputs: { lecturer_ids: ({ host_lecturers }) => (host_lecturers ?? []).map(({ id }) => id) },
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
    'price',
    'capacity',
    'waitlist_enabled',
    'waitlist_mode',
    'waitlist_offer_hours',
    'reminder_hours',
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
      description: 'phase in time: upcoming, live or ended',
      value: eventSchema.shape.phase,
      where: isInPhase,
    },
    'kind',
    'access',
    {
      name: 'course_id',
      description: 'the id of a course',
      value: reference('crs', 'Id of a course.'),
      where: (event, ids: readonly string[]) => event('course_id', 'in', [...ids]),
    },
    {
      name: 'my_rsvp',
      description: 'the status of your RSVP',
      value: rsvpStatus,
      where: (event, statuses: readonly string[], caller) => hasOwnRsvp(event, statuses, caller),
    },
    { name: 'plan_id', description: 'the id of a plan that gives access', value: reference('mpl', 'Id of a plan.'), where: isForPlan },
    { name: 'lecturer_id', description: 'the id of a host', value: reference('lec', 'Id of a lecturer.'), where: hasShownHost },
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
      ids: (row) => idsIn(row.host_lecturers),
    },
    course: { resource: (): Resource => courses, id: ({ course_id }) => course_id },
  },
  visibility: {
    anonymous: isAnnounced,
    learner: isAnnounced,
    lecturer: (event, me) => event.or([isAnnounced(event), isHosted(event, me)]),
    staff: everything,
  },
  views: { staff: isHosted, own: (event, me) => event.or([isInvited(event, me), hasRsvp(event, me)]) },
  ungated: isForEverybody,
  checkCaller: checkEventCaller,
  operations: {
    list: 'read',
    get: 'read',
    create: {
      scope: 'write',
      roles: ['lecturer', 'staff'],
      check: checkEvent,
      defaults: eventDefaults,
      after: (writing, event, values) => saveEventParts(writing, event, values, true),
    },
    update: {
      scope: 'write',
      errors: ['invalid_state'],
      roles: ['lecturer', 'staff'],
      view: 'staff',
      check: checkEvent,
      async before({ externalServices, now, caller, activity }, event, values) {
        requireNotCanceled(event)
        const held = caller.clientId ? { activity: activity.id, seconds: externalServices.apps.outgoingDelay() } : undefined
        return { ...noteMove(event, values, now, held), ...(await htmlColumn(externalServices.markup, 'description', values)) }
      },
      async after(writing, event, changed) {
        await saveEventParts(writing, event, changed)
        if ('capacity' in changed || 'waitlist_mode' in changed || 'price' in changed) await fillSeats(writing, event)
      },
    },
    remove: { scope: 'write', roles: ['lecturer', 'staff'], view: 'staff', from: ['draft'], before: removeEventParts },
  },
  actions: {
    publish: {
      scope: 'write',
      errors: ['not_publishable'],
      roles: ['lecturer', 'staff'],
      view: 'staff',
      summary: 'Publish an event',
      from: ['draft'],
      to: 'published',
      requireCaller: requirePublisher,
      run: publishEvent,
    },
    unpublish: {
      scope: 'write',
      roles: ['lecturer', 'staff'],
      view: 'staff',
      summary: 'Return an event to draft',
      from: ['published'],
      to: 'draft',
      requireCaller: requirePublisher,
      run: unpublishEvent,
    },
    cancel: defineAction('event', {
      undo: 'Attendees have received an e-mail.',
      asksFirst: 'outward',
      scope: 'write',
      roles: ['lecturer', 'staff'],
      view: 'staff',
      summary: 'Cancel an event and notify the attendees',
      from: ['published'],
      to: 'canceled',
      input: cancellation,
      run: cancelEvent,
    }),
    duplicate: {
      scope: 'write',
      roles: ['lecturer', 'staff'],
      view: 'staff',
      summary: 'Duplicate an event as a draft',
      status: 201,
      async perform(writing, event) {
        const { writer } = writing
        const free = (title: string, id: string): Promise<string> => freeSlug(writer, events, { schoolId: writer.schoolId, title, id })
        return { made: await duplicateEvent(writing, event, free) }
      },
    },
    'rsvps/me': defineAction('event', {
      scope: 'write',
      errors: ['invalid_state', 'event_full', 'rsvp_closed', 'checkout_required'],
      view: 'public',
      id: 'putMyRsvp',
      undo: 'Attendees receive an e-mail: change the RSVP back.',
      follows: 'publishEvent',
      method: 'PUT',
      summary: 'RSVP to an event: take a seat, join the waitlist, or withdraw',
      input: ownRsvp,
      answers: (): Resource => rsvps,
      async perform(writing, event, input) {
        const { id, isNew } = await submitRsvp(writing, event, input)
        return { isUnchanged: !isNew, answered: id }
      },
    }),
    'rsvps/{rsvp_id}': defineAction('event', {
      scope: 'write',
      errors: ['invalid_state', 'event_full'],
      roles: ['lecturer', 'staff'],
      view: 'staff',
      id: 'updateRsvp',
      asksFirst: 'outward',
      undo: 'Attendees receive an e-mail: change the RSVP back.',
      method: 'PATCH',
      summary: 'Change the status of an RSVP: give or withdraw a seat, or record attendance',
      parameters: rsvpPath,
      input: rsvpChange,
      answers: (): Resource => rsvps,
      async perform(writing, event, { status }) {
        const { id, isNew } = await changeRsvpStatus(writing, event, writing.parameters.get('rsvp_id'), status)
        return { isUnchanged: !isNew, answered: id }
      },
    }),
    attendance: defineAction('event', {
      scope: 'write',
      errors: ['invalid_state'],
      roles: ['lecturer', 'staff'],
      view: 'staff',
      id: 'recordAttendance',
      from: ['published'],
      summary: 'Record the attendance of an event',
      input: attendance,
      output: attendanceCounts,
      async perform(writing, event, { attended }) {
        const { counts, isUnchanged } = await recordAttendance(writing, event, attended)
        return { isUnchanged, body: async () => counts }
      },
    }),
  },
})
