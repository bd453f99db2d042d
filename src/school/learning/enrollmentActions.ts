import { z } from 'zod'
import { uuidOf } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import { reference } from '../../engine/declare/fields.ts'
import type { Action } from '../../engine/declare/resource.ts'
import { defineAction } from '../../engine/declare/typedOperations.ts'
import { wrongState } from '../../engine/write/statusOf.ts'
import { positionSeconds, progressResult } from './enrollmentFields.ts'
import { statusAt } from './enrollmentStatus.ts'
import { applyTransition, type Transition, transitions } from './enrollmentTransitions.ts'
import { lockCourseForProgress } from './enrollmentVisibility.ts'
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
