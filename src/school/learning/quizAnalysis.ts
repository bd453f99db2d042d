import { sql } from 'kysely'
import type { SchoolReader } from '../../database/connection/database.ts'
import { refs } from '../../database/statements/columns.ts'
import type { Answer, QuestionResult, StoredQuiz } from './scoreQuiz.ts'

const attempt = refs('quiz_attempt')

interface Lesson {
  school_id: string
  id: string
  quiz: StoredQuiz | null
}

/**
 * Returns how students did in the quiz of a lesson: the figures of the attempts, and of each question that the quiz has now. An attempt
 * counts for a question if it has a result for it, whatever the question was at that time.
 */
export async function quizAnalysis(database: SchoolReader, { id, quiz }: Lesson) {
  const [totals, results, chosen] = [await totalsOf(database, id), await resultsOf(database, id), await choicesOf(database, id)]
  const byQuestion = new Map(results.map((result) => [result.question_id, result]))
  const byChoice = new Map(chosen.map(({ question_id, choice_id, times }) => [`${question_id} ${choice_id}`, times]))
  return {
    ...totals,
    questions: (quiz?.questions ?? []).map(({ id: questionId, kind, prompt, points, choices }) => {
      const { attempts = 0, correct = 0, discrimination = null } = byQuestion.get(questionId) ?? {}
      return {
        question_id: questionId,
        kind,
        prompt,
        points,
        attempts_count: attempts,
        correct_count: correct,
        correct_percent: attempts === 0 ? null : Math.floor((correct * 10_000) / attempts) / 100,
        discrimination: discrimination === null ? null : Math.round(discrimination * 100) / 100,
        choices: choices.map((choice) => ({
          choice_id: choice.id,
          text: choice.text,
          correct: choice.correct,
          chosen_count: byChoice.get(`${questionId} ${choice.id}`) ?? 0,
        })),
      }
    }),
  }
}

const attemptsAt = (database: SchoolReader, lessonId: string) =>
  database.selectFrom('quiz_attempt').where('quiz_attempt.lesson_id', '=', lessonId)

async function totalsOf(database: SchoolReader, lessonId: string) {
  const { attempts_count, students_count, passed_students_count, average } = await attemptsAt(database, lessonId)
    .select(({ cast, fn }) => [
      cast<number>(fn.countAll(), 'integer').as('attempts_count'),
      cast<number>(fn.count('quiz_attempt.person_id').distinct(), 'integer').as('students_count'),
      cast<number>(fn.count('quiz_attempt.person_id').distinct().filterWhere('quiz_attempt.passed', '=', true), 'integer').as(
        'passed_students_count',
      ),
      cast<number | null>(fn.avg('quiz_attempt.score_bps'), 'double precision').as('average'),
    ])
    .executeTakeFirstOrThrow()
  return {
    attempts_count,
    students_count,
    passed_students_count,
    average_score_percent: average === null ? null : Math.floor(average) / 100,
  }
}

/** The discrimination is the point-biserial correlation of the question's result with the score of the whole attempt. */
const resultsOf = async (database: SchoolReader, lessonId: string) =>
  await attemptsAt(database, lessonId)
    .innerJoinLateral(
      sql<QuestionResult>`jsonb_to_recordset(${attempt.results})`.as<'result'>(
        sql`result(question_id text, correct boolean, points integer)`,
      ),
      (join) => join.onTrue(),
    )
    .select(({ cast, fn }) => [
      'result.question_id',
      cast<number>(fn.countAll(), 'integer').as('attempts'),
      cast<number>(fn.countAll().filterWhere('result.correct', '=', true), 'integer').as('correct'),
      sql<number | null>`corr(result.correct::int, ${attempt.score_bps})`.as('discrimination'),
    ])
    .groupBy('result.question_id')
    .execute()

const choicesOf = async (database: SchoolReader, lessonId: string) =>
  await attemptsAt(database, lessonId)
    .innerJoinLateral(
      sql<Pick<Answer, 'question_id'> & { choice_ids: unknown }>`jsonb_to_recordset(${attempt.answers})`.as<'answer'>(
        sql`answer(question_id text, choice_ids jsonb)`,
      ),
      (join) => join.onTrue(),
    )
    .innerJoinLateral(sql<{ id: string }>`jsonb_array_elements_text(answer.choice_ids)`.as<'choice'>(sql`choice(id)`), (join) =>
      join.onTrue(),
    )
    .select(({ cast, fn }) => ['answer.question_id', 'choice.id as choice_id', cast<number>(fn.countAll(), 'integer').as('times')])
    .groupBy(['answer.question_id', 'choice.id'])
    .execute()
