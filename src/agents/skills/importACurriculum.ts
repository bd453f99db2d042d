import type { Skill } from '../skill.ts'

const lessons = [
  { external_id: 'lms-1-a', title: 'Clay and water', kind: 'text', content: 'Which clay, and how much water.', status: 'published' },
  { external_id: 'lms-1-b', title: 'First exercise', kind: 'text', content: 'Ten balls of the same weight.' },
]
const sections = [{ external_id: 'lms-1', title: 'Before you begin', lessons }]

/** For staff: sections and lessons of another system, imported repeatedly. */
export const importACurriculum: Skill = {
  name: 'import-a-curriculum',
  title: 'Import a curriculum',
  description: 'Import sections and lessons of another system into a course with one request, and repeat the import without duplicates.',
  steps: [
    {
      about: 'Choose the course, or create one with `POST /api/v1/courses`.',
      operation: 'listCourses',
      query: 'limit=5&fields=slug,title,status,lessons_count',
      sample: { data: [{ id: 'crs_…', title: '…', status: '…', lessons_count: '…' }] },
      keep: { COURSE: 'data[0].id' },
    },
    {
      about:
        'Import. `external_id` is the key in your system, and identifies sections and lessons of earlier imports. New lessons are drafts unless `status` is `published`.',
      operation: 'importCurriculum',
      path: { id: '$COURSE' },
      body: { mode: 'merge', sections },
      key: 'import-1-into-$COURSE',
      sample: {
        created: 3,
        updated: 0,
        deleted: 0,
        tree: { sections: [{ external_id: 'lms-1', lessons: [{ id: 'les_…', external_id: 'lms-1-b', status: 'draft' }] }] },
      },
    },
    {
      about:
        'Import again after changes in your system: only differences are written. `merge` keeps what the import does not contain; `replace` deletes it and applies the order of the import.',
      operation: 'importCurriculum',
      path: { id: '$COURSE' },
      body: { mode: 'merge', sections: [{ ...sections[0], title: 'Preparation', lessons }] },
      key: 'import-2-into-$COURSE',
      sample: { created: 0, updated: 1, deleted: 0 },
    },
    {
      about: 'Check the result.',
      operation: 'getCurriculum',
      path: { id_or_slug: '$COURSE' },
      sample: { course_id: '$COURSE', sections: [{ title: 'Preparation', lessons: [{ title: 'Clay and water', status: 'published' }] }] },
    },
  ],
}
