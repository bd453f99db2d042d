import { z } from 'zod'
import { audienceOf } from '../../base/caller.ts'
import { toPublicId, uuidOf } from '../../base/ids.ts'
import { reference, timestamp } from '../../engine/declare/fields.ts'
import { defineCollectionAction } from '../../engine/declare/typedOperations.ts'
import { bulk } from '../../engine/write/bulk.ts'
import { isUnchanged, itemsOutput } from '../../engine/write/bulkAction.ts'
import type { CsvRules } from '../../engine/write/csvItems.ts'
import { explainViolation } from '../../engine/write/explainViolation.ts'
import { lockCourses } from './enrollmentCounters.ts'
import { enrollmentSchema, named } from './enrollmentFields.ts'
import { enrollAndRecord } from './enrollOnRequest.ts'

const itemSchema = z.object({
  course_id: reference('crs', 'The course.'),
  student_id: reference('std', 'The student.').optional().meta({ description: 'The student.', idPrefix: 'std' }),
  student_email: named.student_email.optional().meta({ description: 'E-mail address of the student.', example: 'learner017@example.org' }),
  student_external_id: z
    .string()
    .min(1)
    .max(120)
    .optional()
    .meta({ description: 'Key of the student in the source system.', example: 'erp-17' }),
  starts_at: timestamp().optional().meta({ description: 'Start of the access.', example: '2026-03-01T09:30:00.000Z' }),
  expires_at: timestamp()
    .nullable()
    .optional()
    .meta({ description: 'End of the access; null without a limit.', example: '2036-03-01T09:30:00.000Z' }),
})

/** Enrols many students: each separately, or all or none. */
export const bulkEnrollments = defineCollectionAction({
  scope: 'write',
  errors: ['invalid_state'],
  roles: ['lecturer', 'staff'],
  status: 207,
  isAtomic: ({ atomic }) => atomic === true,
  csv: (): CsvRules => ({ members: itemSchema.shape, options: {} }),
  isUnchanged,
  summary: 'Enrol many students',
  input: z.object({
    items: z.array(itemSchema).min(1).max(100).meta({ description: 'Enrolments to create.', example: [] }),
    create_missing: z
      .boolean()
      .default(false)
      .meta({ description: 'True to create a student for an unknown address. Only for staff.', example: false }),
    notify: named.notify,
    override: named.override,
    atomic: z.boolean().default(false).meta({ description: 'True to create all enrolments or none.', example: false }),
  }),
  output: itemsOutput({ idPrefix: 'enr', object: 'enrollment' }),
  async run(writing, input) {
    const { items, create_missing, notify, override, atomic } = input
    const { caller } = writing
    await lockCourses(writing.writer, [...new Set(items.map(({ course_id }) => uuidOf('crs', course_id)))])
    const met = new Set<string>()
    const isAnother = (personId: string, courseId: string): boolean => {
      const key = `${personId} ${courseId}`
      const isFirst = !met.has(key)
      met.add(key)
      return isFirst
    }
    const createMissing = create_missing && audienceOf(caller) === 'staff'
    return await bulk(writing.writer, {
      items,
      key: ({ student_email, student_external_id, student_id }) => student_email ?? student_external_id ?? student_id,
      isCsv: writing.isCsv,
      isAtomic: atomic,
      explain: (error) => explainViolation(error, { table: 'enrollment', schema: enrollmentSchema }),
      async each(item) {
        const { id, action } = await enrollAndRecord(writing, { ...item, notify, override }, { createMissing, isAnother })
        return { status: action === 'created' ? 201 : 200, id: toPublicId('enr', id) }
      },
    })
  },
})
