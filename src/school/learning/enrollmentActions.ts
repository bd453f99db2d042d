import { z } from 'zod'
import { audienceOf } from '../../base/caller.ts'
import { toPublicId, uuidOf } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import { reference, timestamp } from '../../engine/declare/fields.ts'
import type { Action } from '../../engine/declare/resource.ts'
import { defineAction } from '../../engine/declare/typedOperations.ts'
import { defineBulkAction } from '../../engine/write/bulkAction.ts'
import { wrongState } from '../../engine/write/changeRow.ts'
import { explainViolation } from '../../engine/write/explainViolation.ts'
import { lockCourses } from './enrollmentCounters.ts'
import { enrollmentSchema, history, named, positionSeconds, progressResult } from './enrollmentFields.ts'
import { statusAt } from './enrollmentStatus.ts'
import { applyTransition, type Transition, transitions } from './enrollmentTransitions.ts'
import { lockCourseForProgress } from './enrollmentVisibility.ts'
import { enrollAndRecord } from './enrollOnRequest.ts'
import { readLessonProgress } from './readProgress.ts'
import { countAndComplete, findLesson, recordActivity, requireUnlocked, writeLessonProgress } from './writeLessonProgress.ts'

const enrollment = { object: 'enrollment' }

type EnrollmentAction = Action<'enrollment', 'read' | 'write'>

const reason = z.string().max(500).optional().meta({ description: 'Reason.', example: 'Asked for it.' })

/** Returns the action for a transition. Students can cancel their own enrolment unless the school has suspended it. */
export function transitionOf(transition: Transition, summary: string): EnrollmentAction {
  const { from, to } = transitions[transition]
  const isForAll = transition === 'cancel'
  return defineAction('enrollment', {
    scope: 'write',
    ...(!isForAll && { view: 'staff', roles: ['lecturer', 'staff'] }),
    summary,
    input: z.object({ reason }),
    from,
    to,
    async run(writing, row, input) {
      const isOwn = row.person_id === writing.caller.personId && writing.caller.role === 'learner'
      if (isOwn && row.status === 'suspended')
        throw wrongState(enrollment, { verb: transition, status: row.status, from: from.filter((one) => one !== 'suspended') })
      return { ...(await applyTransition(writing, row, transition)), status_reason: input.reason ?? null }
    },
  })
}

/** Writes the progress in one lesson, by the student or by staff and lecturers. */
export const putProgress = defineAction('enrollment', {
  scope: 'write',
  errors: ['invalid_state', 'lesson_locked'],
  id: 'putLessonProgress',
  method: 'PUT',
  summary: 'Set the progress of a student in a lesson',
  // The lock is shared, because the places of the course do not change: students do not wait for each other.
  lockFirst: lockCourseForProgress,
  parameters: z.object({ lesson_id: reference('les', 'Id of the lesson.') }),
  input: z.object({
    completed: z
      .boolean()
      .optional()
      .meta({ description: 'True if the lesson is completed. A quiz is completed by passing it.', example: true }),
    position_seconds: positionSeconds.optional().meta({ description: 'Position in the lesson in seconds.', example: 95 }),
  }),
  output: progressResult,
  async perform(writing, row, input) {
    const { writer, caller, now } = writing
    const { completed, position_seconds } = input
    const lessonId = uuidOf('les', writing.parameters.get('lesson_id'))
    const isOwn = row.person_id === caller.personId && caller.role === 'learner'
    const lesson = await findLesson(writing, { enrollmentId: row.id, lessonId })
    requireUnlocked(lesson, { isOwn })
    if (isOwn && completed && lesson.kind === 'quiz' && lesson.quiz !== null)
      throw new Problem('invalid_state', { description: 'A quiz is completed by passing it. Submit an attempt.' })
    const isChanged = await writeLessonProgress(writing, row, lessonId, { completed, position_seconds })
    if (isOwn) await recordActivity(writing, row, lessonId)
    const { counts, columns } = await countAndComplete(writing, row)
    return {
      ...(columns && { columns }),
      isUnchanged: !isChanged,
      body: async () => ({
        lesson: await readLessonProgress(writer, row, lessonId),
        enrollment: { ...row, ...columns, status: statusAt({ ...row, ...columns }, now), ...counts },
      }),
    }
  },
})

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
  completed_at: timestamp().optional().meta({
    description: 'Only for staff: when the student completed the course in another system.',
    example: '2019-07-01T09:30:00.000Z',
  }),
  ...history,
})

/** Enrols many students: each separately, or all or none. */
export const bulkEnrollments = defineBulkAction({
  scope: 'write',
  errors: ['invalid_state'],
  roles: ['lecturer', 'staff'],
  summary: 'Enrol many students',
  of: { idPrefix: 'enr', object: 'enrollment' },
  item: itemSchema,
  about: { description: 'Enrolments to create.', example: [] },
  options: {
    create_missing: z
      .boolean()
      .default(false)
      .meta({ description: 'True to create a student for an unknown address. Only for staff.', example: false }),
    notify: named.notify,
    override: named.override,
    atomic: z.boolean().default(false).meta({ description: 'True to create all enrolments or none.', example: false }),
  },
  keys: ['student_email', 'student_external_id', 'student_id'],
  csv: () => ({ members: itemSchema.shape, options: {} }),
  explain: (error) => explainViolation(error, { table: 'enrollment', schema: enrollmentSchema }),
  async begin(writing, items, { create_missing, notify, override }) {
    await lockCourses(writing.writer, [...new Set(items.map(({ course_id }) => uuidOf('crs', course_id)))])
    const met = new Set<string>()
    const isAnother = (personId: string, courseId: string): boolean => {
      const key = `${personId} ${courseId}`
      const isFirst = !met.has(key)
      met.add(key)
      return isFirst
    }
    const createMissing = create_missing && audienceOf(writing.caller) === 'staff'
    return async (item) => {
      const { id, action } = await enrollAndRecord(writing, { ...item, notify, override }, { createMissing, isAnother })
      return { status: action === 'created' ? 201 : 200, id: toPublicId('enr', id) }
    }
  },
})
