import { jsonBuildObject } from 'kysely/helpers/postgres'
import type { Reader } from '../connection/database.ts'
import type { Builder } from '../statements/expressions.ts'

/** Recounts what every school, or this one, has. The version stays: an editor's ETag remains valid. */
export async function countSchools(db: Reader, schoolId?: string): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('school')
    .from((one) =>
      one
        .selectFrom('school')
        .select((school) => ['school.id', jsonBuildObject(counts(school)).as('counts')])
        .$if(schoolId !== undefined, (schools) => schools.where('school.id', '=', schoolId as string))
        .as('counted'),
    )
    .set(({ ref, cast }) => ({ counts: cast(ref('counted.counts'), 'jsonb') }))
    .whereRef('school.id', '=', 'counted.id')
    .where(({ eb, ref, cast }) => eb('school.counts', 'is distinct from', cast(ref('counted.counts'), 'jsonb')))
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

const counts = ({ selectFrom }: Builder<'school'>) => ({
  courses: selectFrom('course')
    .select(({ fn }) => fn.countAll().as('courses'))
    .whereRef('course.school_id', '=', 'school.id')
    .where('course.status', '=', 'published')
    .where('course.visibility', '=', 'public'),
  lecturers: selectFrom('lecturer')
    .select(({ fn }) => fn.countAll().as('lecturers'))
    .whereRef('lecturer.school_id', '=', 'school.id')
    .where('lecturer.status', '=', 'active'),
  students: selectFrom('person')
    .select(({ fn }) => fn.countAll().as('students'))
    .whereRef('person.school_id', '=', 'school.id')
    .where('person.is_student', '=', true)
    .where('person.erased_at', 'is', null),
  members: selectFrom('person')
    .select(({ fn }) => fn.countAll().as('members'))
    .whereRef('person.school_id', '=', 'school.id')
    .where('person.is_member', '=', true)
    .where('person.erased_at', 'is', null)
    .where('person.member_status', '<>', 'left'),
})
