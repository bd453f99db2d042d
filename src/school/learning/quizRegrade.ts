import { z } from 'zod'
import { uuidOf } from '../../base/ids.ts'
import { fieldError, Problem } from '../../base/problem.ts'
import { reference } from '../../engine/declare/fields.ts'
import { defineCollectionAction } from '../../engine/declare/typedOperations.ts'
import { maxRegraded, type RegradedAttempt, regradeQuiz } from './regradeQuiz.ts'

const maxListed = 100

const percent = (description: string) => z.number().meta({ description, example: 66.66 })
const passed = (description: string) => z.boolean().meta({ description, example: true })
const count = (description: string) => z.int().meta({ description, example: 3 })

/** Grades the attempts at a quiz again after its answer key was corrected. */
export const regradeAttempts = defineCollectionAction({
  undo: true,
  scope: 'write',
  errors: ['invalid_state'],
  roles: ['lecturer', 'staff'],
  summary: 'Grade the attempts at a quiz again with its current answer key',
  input: z.object({
    lesson_id: reference('les', `The lesson of the quiz, with at most ${maxRegraded} attempts.`),
  }),
  output: z.object({
    attempts_count: count('Attempts at the quiz.'),
    changed_count: count(
      'Attempts with another result. Questions that were added to the quiz or removed from it since the attempt do not count.',
    ),
    newly_passed_count: count('Attempts that failed and pass now. Passing completes the lesson.'),
    newly_failed_count: count(
      'Attempts that passed and fail now. Completed lessons and enrolments stay completed, with their certificates.',
    ),
    attempts: z
      .array(
        z.object({
          id: reference('qat', 'Id of the attempt.'),
          student_id: reference('std', 'The student.'),
          attempt_no: z.int().meta({ description: 'Number of the attempt, from 1.', example: 1 }),
          previous_score_percent: percent('The score before.'),
          previous_passed: passed('True if it was passed before.'),
          score_percent: percent('The new score.'),
          passed: passed('True if it is passed now.'),
        }),
      )
      .meta({
        description: `The first ${maxListed} attempts with another result: those that fail now, those that pass now, the others.`,
        example: [],
      }),
  }),
  isUnchanged: ({ changed_count }) => changed_count === 0,
  async run(writing, { lesson_id }) {
    const graded = await regradeQuiz(writing, uuidOf('les', lesson_id))
    if (!graded)
      throw new Problem('invalid_reference', {
        details: [fieldError('lesson_id', 'invalid_reference', 'the school has no lesson with this id that you can change')],
      })
    const { attemptsCount, changed } = graded
    const failed = changed.filter((attempt) => attempt.previous_passed && !attempt.passed)
    const passing = changed.filter((attempt) => !attempt.previous_passed && attempt.passed)
    const others = changed.filter((attempt) => attempt.previous_passed === attempt.passed)
    return {
      attempts_count: attemptsCount,
      changed_count: changed.length,
      newly_passed_count: passing.length,
      newly_failed_count: failed.length,
      attempts: [...failed, ...passing, ...others].slice(0, maxListed).map(listed),
    }
  },
})

const listed = ({ id, person_id, attempt_no, previous_score_bps, previous_passed, score_bps, passed }: RegradedAttempt) => ({
  id,
  student_id: person_id,
  attempt_no,
  previous_score_percent: previous_score_bps / 100,
  previous_passed,
  score_percent: score_bps / 100,
  passed,
})
