import { courses } from './courses.ts'
import { demoId } from './ids.ts'
import { lecturers, people, schoolRow } from './school.ts'

/** The demo's data as rows of one school, each table's in its own call. */
export function demoRows(schoolId: string, now: Date) {
  const id = (kind: string, index: number): string => demoId(schoolId, kind, index)
  const daysAgo = (days: number): Date => new Date(now.getTime() - days * 86_400_000)
  // The later in its list, the younger: as with the ids.
  const common = (kind: string, index: number) => ({
    school_id: schoolId,
    id: id(kind, index),
    created_at: daysAgo(400 - index),
    updated_at: daysAgo(400 - index),
  })
  const lecturerId = (slug: string): string =>
    id(
      'lecturer',
      lecturers.findIndex((lecturer) => lecturer.slug === slug),
    )

  return {
    accounts: (hashes: ReadonlyMap<string, string>) =>
      people.map(({ email, name }, index) => ({
        ...common('account', index),
        email,
        email_verified: true,
        name,
        given_name: name.split(' ')[0] as string,
        family_name: name.split(' ').slice(1).join(' '),
        locale: 'en',
        time_zone: schoolRow.time_zone,
        password_hash: hashes.get(email) ?? null,
      })),
    persons: () =>
      people.map(({ email, name, role }, index) => ({
        ...common('person', index),
        account_id: id('account', index),
        email,
        name,
        is_student: role === 'learner',
        is_member: role === 'learner' && index % 2 === 0,
      })),
    lecturers: () =>
      lecturers.map((lecturer, index) => ({ ...common('lecturer', index), ...lecturer, featured: index === 0, position: index })),
    staff: () =>
      people.flatMap(({ role, lecturer }, index) =>
        role === 'learner'
          ? []
          : [
              {
                ...common('staff', index),
                person_id: id('person', index),
                role,
                lecturer_id: lecturer === undefined ? null : lecturerId(lecturer),
                accepted_at: daysAgo(400 - index),
              },
            ],
      ),
    courses: () =>
      courses.map(({ lecturers: _lecturers, tags, ...course }, index) => ({
        ...common('course', index),
        ...course,
        tags: [...tags],
        language: schoolRow.locale,
        price_currency: course.price_amount === null ? null : schoolRow.currency,
        enrollment_open: course.status === 'published',
        position: index,
        published_at: course.status === 'draft' ? null : daysAgo(300 - index * 3),
        archived_at: course.status === 'archived' ? daysAgo(60) : null,
      })),
    courseLecturers: () =>
      courses.flatMap((course, index) =>
        course.lecturers.map((slug, position) => ({
          school_id: schoolId,
          course_id: id('course', index),
          lecturer_id: lecturerId(slug),
          position,
        })),
      ),
  }
}
