import { z } from 'zod'
import { enrollAndRecord } from '../domain/learning/enrollOnRequest.ts'
import { lockCourses } from '../domain/learning/lockCourses.ts'
import { reference, timestamp } from '../framework/declare/fields.ts'
import { defineCollectionAction } from '../framework/declare/typedOperations.ts'
import { bulk, bulkOutput } from '../framework/write/bulk.ts'
import { explainViolation } from '../framework/write/explainViolation.ts'
import { toPublicId, uuidOf } from '../lib/ids.ts'
import { audienceOf } from '../policy/caller.ts'
import { enrollmentSchema, named } from './enrollmentFields.ts'

/** Many students at once, each on their own or all or none. */
export const bulkEnrollments = defineCollectionAction({
  scope: 'write',
  roles: ['lecturer', 'staff'],
  status: 207,
  summary: 'Enrol many students',
  input: z.object({
    items: z
      .array(
        z.object({
          course_id: reference('crs', 'The course.'),
          student_id: reference('std', 'The student.').optional().meta({ description: 'The student.', idPrefix: 'std' }),
          student_email: named.student_email
            .optional()
            .meta({ description: 'E-mail address of the student.', example: 'learner017@example.org' }),
          student_external_id: z
            .string()
            .min(1)
            .max(120)
            .optional()
            .meta({ description: 'Key of the student in the system that they were imported from.', example: 'erp-17' }),
          starts_at: timestamp().optional().meta({ description: 'From when on the course is open.', example: '2026-03-01T09:30:00.000Z' }),
          expires_at: timestamp()
            .nullable()
            .optional()
            .meta({ description: 'Until when; null for ever.', example: '2036-03-01T09:30:00.000Z' }),
        }),
      )
      .min(1)
      .max(100)
      .meta({ description: 'Whom to enrol in what.', example: [] }),
    create_missing: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether an unknown address becomes a student; for the staff.', example: false }),
    notify: named.notify,
    override: named.override,
    atomic: z.boolean().default(false).meta({ description: 'All or nothing.', example: false }),
  }),
  output: bulkOutput,
  async run(writing, input) {
    const { items, create_missing, notify, override, atomic } = input
    const { sql, school, caller } = writing
    await lockCourses(writing.writer, school.id, [...new Set(items.map(({ course_id }) => uuidOf('crs', course_id)))])
    const met = new Set<string>()
    const isAnother = (personId: string, courseId: string): boolean => {
      const key = `${personId} ${courseId}`
      const isFirst = !met.has(key)
      met.add(key)
      return isFirst
    }
    const createMissing = create_missing && audienceOf(caller) === 'staff'
    return await bulk(sql, {
      items,
      isAtomic: atomic,
      explain: (error) => explainViolation(error, { table: 'enrollment', schema: enrollmentSchema }),
      async each(item) {
        const { id, action } = await enrollAndRecord(writing, { ...item, notify, override }, { createMissing, isAnother })
        return { status: action === 'created' ? 201 : 200, id: toPublicId('enr', id) }
      },
    })
  },
})
