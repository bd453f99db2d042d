import type { Skill } from '../skill.ts'

export const takeSomethingBack: Skill = {
  name: 'take-something-back',
  title: 'Take something back',
  description: 'Find what you changed, and undo it: a changed text, a deleted lesson with the progress in it, or everything since a time.',
  steps: [
    {
      about: 'Create a course, as an example of something to take back.',
      operation: 'createCourse',
      body: { title: 'A course too many' },
      key: 'course-a-course-too-many',
      sample: { id: 'crs_…', object: 'course', status: 'draft' },
      keep: { COURSE: 'id' },
    },
    {
      about: 'List what you did, the newest first. It also helps after you have lost your context.',
      operation: 'listActivity',
      query: 'limit=10&resource=$COURSE',
      sample: { data: [{ id: 'act_…', operation: 'createCourse', resource: { id: '$COURSE' }, undo: { possible: true } }] },
      keep: { ACTIVITY: 'data[0].id' },
    },
    {
      about:
        'Take it back. 409 `changed_since` means that somebody has changed the same fields since: ask your user, then send `{"conflicts":"keep"}` to leave these changes and restore the rest.',
      operation: 'undoActivity',
      path: { id: '$ACTIVITY' },
      body: {},
      sample: { object: 'undo', undone: ['$ACTIVITY'], kept: [], failed: [] },
    },
    {
      about:
        'To take back everything that you did since a time, send `POST /account/activity/undo` with `{"since":"2026-03-01T09:30:00Z"}`, first with the header `Dry-Run: true`. While `next` is not null, send it as `before`. Show your user what is in `failed` and `kept`.',
    },
  ],
}
