import type { Skill } from '../skill.ts'

export const findAndEnrol: Skill = {
  name: 'find-and-enrol',
  title: 'Find a course and enrol',
  description: 'Search the courses of the school, look at one, enrol the person in it, and record their progress.',
  steps: [
    {
      about:
        'List courses. `q` searches, `access`, `level` and `category` filter. Without `access` the list also contains courses that are sold.',
      operation: 'listCourses',
      query: 'access=free&limit=5&fields=slug,title,subtitle,access,price',
      isAnonymous: true,
      sample: { data: [{ id: 'crs_…', slug: '…', title: '…', access: 'free', price: null }], page: { has_more: '…', next_cursor: '…' } },
      keep: { COURSE: 'data[0].id' },
    },
    {
      about: 'Look at its lessons.',
      operation: 'getCurriculum',
      path: { id_or_slug: '$COURSE' },
      isAnonymous: true,
      sample: { sections: [{ title: '…', lessons: [{ id: 'les_…', title: '…', kind: '…', locked: '…' }] }] },
      keep: { LESSON: 'sections[0].lessons[0].id' },
    },
    {
      about:
        'Enrol the person of the token. A course that is sold returns 422 `checkout_required`: give `details[0].meta.checkout_url` to the person. An existing enrolment is returned with 200.',
      operation: 'createEnrollment',
      body: { course_id: '$COURSE' },
      key: 'enrol-$COURSE',
      sample: { id: 'enr_…', object: 'enrollment', course_id: '$COURSE', status: 'active', progress_percent: 0 },
      keep: { ENROLLMENT: 'id' },
    },
    {
      about: 'Read a lesson.',
      operation: 'getLesson',
      path: { id: '$LESSON' },
      sample: { id: '$LESSON', title: '…', locked: false, content: '…' },
    },
    {
      about: 'Record that the person completed it. A quiz is completed by passing it.',
      operation: 'putLessonProgress',
      path: { id: '$ENROLLMENT', lesson_id: '$LESSON' },
      body: { completed: true },
      sample: { lesson: { lesson_id: '$LESSON', status: 'completed' }, enrollment: { completed_lessons_count: 1 } },
    },
    {
      about: 'Read the progress of the whole course.',
      operation: 'getProgress',
      path: { id: '$ENROLLMENT' },
      sample: { enrollment: { id: '$ENROLLMENT', status: 'active' }, lessons: [{ lesson_id: '$LESSON', status: 'completed' }] },
    },
  ],
}
