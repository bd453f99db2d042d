import type { Skill } from '../skill.ts'

export const importPeople: Skill = {
  name: 'import-people',
  title: 'Import people',
  description: 'Import students of another system, enrol them in a course, and find the rows that could not be imported.',
  steps: [
    {
      about:
        'Import up to 100 students with one request. `mode` `upsert` changes those that exist, by `external_id` or e-mail address, so that the import can be repeated. The response is 207: `results` has a `status` for each row, by `index`, and the reason where it is 4xx. Nobody gets an e-mail unless a row has `send_invite`.',
      operation: 'bulkStudents',
      body: {
        mode: 'upsert',
        items: [
          { email: 'ada@example.com', name: 'Ada Weaver', external_id: 'lms-77', tags: ['imported'] },
          { email: 'no address', name: 'Bo Weaver', external_id: 'lms-78' },
        ],
      },
      key: 'students-of-lms-1',
      sample: {
        results: [
          { index: 0, status: 201 },
          { index: 1, status: 422 },
        ],
      },
    },
    {
      about: 'Find the course.',
      operation: 'listCourses',
      query: 'limit=1&fields=slug,title',
      isAnonymous: true,
      sample: { data: [{ id: 'crs_…' }] },
      keep: { COURSE: 'data[0].id' },
    },
    {
      about: 'Enrol them. `student_external_id` or `student_email` names the student. `notify` sends an e-mail to each.',
      operation: 'bulkEnrollments',
      body: { items: [{ course_id: '$COURSE', student_external_id: 'lms-77' }] },
      key: 'enrolments-of-lms-1',
      sample: { results: [{ index: 0, status: 201 }] },
    },
    {
      about: 'Check the result.',
      operation: 'listStudents',
      query: 'external_id=lms-77&fields=name,email,tags',
      sample: { data: [{ id: 'std_…', name: 'Ada Weaver', tags: ['imported'] }] },
    },
  ],
}
