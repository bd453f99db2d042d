import { z } from 'zod'
import { attemptQuiz } from '../domain/learning/attemptQuiz.ts'
import { defineResource } from '../framework/declare/defineResource.ts'
import type { Rows } from '../framework/declare/expressions.ts'
import { everything, nothing } from '../framework/declare/expressions.ts'
import { reference } from '../framework/declare/fields.ts'
import type { Resource } from '../framework/declare/resource.ts'
import type { PersonCaller } from '../policy/caller.ts'
import { enrollments } from './enrollments.ts'
import { lessons } from './lessons.ts'

const isMine = (attempt: Rows<'quiz_attempt'>, { personId }: PersonCaller) =>
  personId === null ? attempt.lit(false) : attempt('quiz_attempt.person_id', '=', personId)

/** Attempts at quizzes. The correct answers are not sent to students. */
export const quizAttempts = defineResource({
  name: 'quiz_attempts',
  object: 'quiz_attempt',
  idPrefix: 'qat',
  table: 'quiz_attempt',
  about: 'An attempt of the caller at the quiz of a lesson. Passing it completes the lesson.',
  scopes: enrollments.area,
  under: { resource: (): Resource => lessons, table: 'lesson', column: 'lesson_id' },
  schema: z.object({
    lesson_id: reference('les', 'The lesson.'),
    enrollment_id: reference('enr', 'The enrolment.'),
    attempt_no: z.int().meta({ description: 'Number of the attempt, from 1.', example: 1 }),
    score_percent: z.number().meta({ description: 'Share of the points, rounded down to two decimal places.', example: 66.66 }),
    passed: z.boolean().meta({ description: 'True if the attempt is passed.', example: false }),
  }),
  derived: { score_percent: { from: ['score_bps'], of: ({ score_bps }) => score_bps / 100 } },
  inputs: z.object({
    answers: z
      .array(
        z.object({
          question_id: z.string().min(1).max(40).meta({ description: 'Id of the question.', example: 'q1' }),
          choice_ids: z
            .array(z.string().min(1).max(40).meta({ description: 'Id of a choice.', example: 'c1' }))
            .max(10)
            .optional()
            .meta({ description: 'Ids of the chosen choices.', example: ['c1'] }),
          text: z
            .string()
            .max(200)
            .optional()
            .meta({ description: 'Text answer to a question of the kind short_text.', example: 'kaolin' }),
        }),
      )
      .max(100)
      .meta({ description: 'One answer for each question. Unanswered questions count as wrong.', example: [] }),
  }),
  required: ['answers'],
  visibility: { anonymous: nothing, learner: isMine, lecturer: isMine, staff: everything },
  views: { own: isMine },
  operations: {
    create: { scope: 'write', view: 'public', perform: (writing, { answers }) => attemptQuiz(writing, answers) },
  },
})
