import type { Skill } from '../skill.ts'

export const runAnEvent: Skill = {
  name: 'run-an-event',
  title: 'Run an event',
  description: 'Create and publish an event with limited seats, add a guest, see who comes, and record the attendance.',
  steps: [
    {
      about: 'Create the event as a draft. `kind` is `online`, `in_person` or `hybrid`.',
      operation: 'createEvent',
      body: {
        title: 'Open studio',
        kind: 'in_person',
        starts_at: '$NEXT_YEAR-03-01T17:00:00Z',
        ends_at: '$NEXT_YEAR-03-01T19:00:00Z',
        capacity: 12,
        location: { name: 'Studio 2' },
      },
      key: 'event-open-studio',
      sample: { id: 'evt_…', object: 'event', status: 'draft', capacity: 12, seats_left: 12 },
      keep: { EVENT: 'id' },
    },
    { about: 'Publish it.', operation: 'publishEvent', path: { id: '$EVENT' }, sample: { id: '$EVENT', status: 'published' } },
    {
      about: 'Find a member to invite. People also respond themselves with `PUT /api/v1/events/{id}/rsvps/me`.',
      operation: 'listMembers',
      query: 'limit=1',
      sample: { data: [{ id: 'mbr_…' }] },
      keep: { MEMBER: 'data[0].id' },
    },
    {
      about: 'Reserve a seat for the member. A full event puts people on its waitlist.',
      operation: 'createRsvp',
      path: { id: '$EVENT' },
      body: { member_id: '$MEMBER', status: 'going' },
      key: 'seat-of-$MEMBER-at-$EVENT',
      sample: { id: 'rsv_…', event_id: '$EVENT', status: 'going', waitlist_position: null },
      keep: { RSVP: 'id' },
    },
    {
      about: 'See who comes.',
      operation: 'listRsvps',
      path: { id: '$EVENT' },
      sample: { data: [{ id: '$RSVP', member: { id: '$MEMBER' }, status: 'going' }] },
    },
    {
      about:
        'Record the attendance, once the event has begun. Before that the response is 409 `invalid_state`. Seats that you do not name become `no_show`.',
      operation: 'recordAttendance',
      path: { id: '$EVENT' },
      body: { attended: ['$RSVP'] },
      key: 'attendance-at-$EVENT',
      sample: { attended: 1, no_show: 0 },
    },
  ],
}
