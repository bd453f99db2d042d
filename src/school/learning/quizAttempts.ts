import { z } from 'zod'
import { fromPublicId, uuidOf } from '../../base/ids.ts'
import { fieldProblem } from '../../base/problem.ts'
import { defineResource } from '../../engine/declare/defineResource.ts'
import { everything, fromJson, nothing } from '../../engine/declare/expressions.ts'
import { reference, timestamp } from '../../engine/declare/fields.ts'
import type { Resource } from '../../engine/declare/resource.ts'
import { defineCollectionAction } from '../../engine/declare/typedOperations.ts'
import { lessons } from '../curriculum/lessons.ts'
import { students } from '../students/students.ts'
import { attemptQuiz, explainedQuestionsOf, explanationsOf } from './attemptQuiz.ts'
import { attemptRules } from './attemptVisibility.ts'
import { enrollments } from './enrollments.ts'
import { quizQuestionIds } from './quizQuestionIds.ts'
import { resultsOf } from './quizResults.ts'
import { maxRegraded, type RegradedAttempt, regradeQuiz } from './regradeQuiz.ts'

const maxListed = 100

const percent = (description: string) => z.number().meta({ description, example: 66.66 })
const passed = (description: string) => z.boolean().meta({ description, example: true })
const count = (description: string) => z.int().meta({ description, example: 3 })

/** Grades the attempts at a quiz again after its answer key was corrected. */
const regradeAttempts = defineCollectionAction({
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
      throw fieldProblem('invalid_reference', 'lesson_id', 'invalid_reference', 'the school has no lesson with this id that you can change')
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

export const quizAnswers = {
  answers: z
    .array(
      z.object({
        question_id: z.string().min(1).max(40).meta({ description: 'Id of the question.', example: 'q1' }),
        choice_ids: z
          .array(z.string().min(1).max(40).meta({ description: 'Id of a choice.', example: 'c1' }))
          .max(10)
          .optional()
          .meta({ description: 'Ids of the chosen choices.', example: ['c1'] }),
        text: z.string().max(200).optional().meta({ description: 'Text answer to a question of the kind short_text.', example: 'kaolin' }),
      }),
    )
    .max(100)
    .meta({ description: 'One answer for each question. Unanswered questions count as wrong.', example: [] }),
}

export const quizAttemptSchema = z.object({
  lesson_id: reference('les', 'The lesson.'),
  enrollment_id: reference('enr', 'The enrolment.'),
  attempt_no: z.int().meta({ description: 'Number of the attempt, from 1.', example: 1 }),
  score_percent: z.number().meta({ description: 'Share of the points, rounded down to two decimal places.', example: 66.66 }),
  passed: z.boolean().meta({ description: 'True if the attempt is passed.', example: false }),
  student_id: reference('std', 'The student.'),
  results: z
    .array(
      z.object({
        question_id: z.string().meta({ description: 'Id of the question.', example: 'q1' }),
        correct: z.boolean().meta({ description: 'True if the answer was correct.', example: true }),
        points: z.int().meta({ description: 'Points for a correct answer.', example: 2 }),
        points_awarded: z.int().meta({ description: 'Points of this answer.', example: 2 }),
        choice_ids: z
          .array(z.string().meta({ description: 'Id of a choice.', example: 'c1' }))
          .nullable()
          .meta({ description: 'The chosen choices; null without an answer and for short_text.', example: ['c1'] }),
        text: z.string().nullable().meta({ description: 'The answer to a question of the kind short_text.', example: null }),
      }),
    )
    .nullable()
    .meta({ description: 'Result of each question; null for attempts from before results were recorded.', example: [] }),
  regraded: z
    .object({
      at: timestamp().meta({
        description: 'Time at which the attempt was last graded again with another result.',
        example: '2026-03-01T09:30:00.000Z',
      }),
      previous_score_percent: z.number().meta({ description: 'The score before that.', example: 33.33 }),
      previous_passed: z.boolean().meta({ description: 'True if the attempt was passed before that.', example: false }),
    })
    .nullable()
    .meta({ description: 'The result that a corrected answer key has replaced; null if the result is the original one.', example: null }),
  explanations: z
    .array(
      z.object({
        question_id: z.string().meta({ description: 'Id of the question.', example: 'q1' }),
        explanation: z.string().meta({ description: 'Explanation of the answer.', example: 'Stoneware is fired above 1200 °C.' }),
      }),
    )
    .meta({
      description: 'The explanations that the quiz has now; empty unless its setting show_explanations shows them to the student.',
      example: [],
      onDemand: true,
    }),
})

/** Attempts at quizzes, with the result of each question. The correct answers are not sent to students. */
export const quizAttempts = defineResource({
  name: 'quiz_attempts',
  object: 'quiz_attempt',
  idPrefix: 'qat',
  table: 'quiz_attempt',
  about:
    'An attempt of a student at the quiz of a lesson, with the result of each question. Passing it completes the lesson. Later changes of the quiz do not change a result until its attempts are graded again.',
  undo: 'An attempt is what a person answered.',
  scopes: enrollments.area,
  under: { resource: (): Resource => lessons, table: 'lesson', column: 'lesson_id' },
  schema: quizAttemptSchema,
  derived: {
    score_percent: { from: ['score_bps'], of: ({ score_bps }) => score_bps / 100 },
    student_id: { from: ['person_id'], of: ({ person_id }) => person_id },
    results: {
      from: ['results', 'answers'],
      of: ({ results, answers }) => resultsOf({ results: fromJson(results), answers: fromJson(answers) }),
    },
    regraded: {
      from: ['regraded_at', 'previous_score_bps', 'previous_passed'],
      of: ({ regraded_at, previous_score_bps, previous_passed }) =>
        regraded_at && {
          at: regraded_at,
          previous_score_percent: (previous_score_bps ?? 0) / 100,
          previous_passed: previous_passed ?? false,
        },
    },
    explanations: { select: explainedQuestionsOf, of: explanationsOf },
  },
  inputs: z.object(quizAnswers),
  required: ['answers'],
  filters: [
    {
      name: 'lesson_id',
      description: 'the id of a lesson',
      value: reference('les', 'Id of a lesson.'),
      where: (attempt, ids) => attempt('quiz_attempt.lesson_id', 'in', [...ids]),
    },
    {
      name: 'student_id',
      description: 'the id of a student',
      value: reference('std', 'Id of a student.'),
      where: (attempt, ids) => attempt('quiz_attempt.person_id', 'in', [...ids]),
    },
    'passed',
    'created_at',
  ],
  sorts: ['-created_at'],
  exports: true,
  csvMembers: {
    results: {
      names: async ({ database, parameters }) => {
        const lessonIds = (parameters.get('lesson_id') as string[] | undefined)?.flatMap((id) => fromPublicId('les', id) ?? [])
        return lessonIds && (await quizQuestionIds(database, lessonIds)).map((name) => ({ name }))
      },
      key: 'question_id',
      value: 'points_awarded',
    },
  },
  expand: {
    student: { resource: (): Resource => students, id: ({ person_id }) => person_id },
    lesson: { resource: (): Resource => lessons, id: ({ lesson_id }) => lesson_id },
  },
  visibility: { anonymous: nothing, learner: attemptRules.isMine, lecturer: attemptRules.isTaughtOrMine, staff: everything },
  views: { own: attemptRules.isMine, staff: attemptRules.isTaught },
  operations: {
    list: 'read',
    get: 'read',
    create: {
      scope: 'write',
      asksFirst: 'irreversible',
      errors: ['invalid_state', 'lesson_locked', 'attempts_exhausted'],
      view: 'public',
      perform: (writing, { answers }) => attemptQuiz(writing, answers),
    },
  },
  collectionActions: { regrade: regradeAttempts },
})
