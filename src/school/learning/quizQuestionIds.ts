import { sql } from 'kysely'
import type { SchoolReader } from '../../database/connection/database.ts'
import { refs } from '../../database/statements/columns.ts'
import type { QuestionResult, StoredQuiz } from './scoreQuiz.ts'

const [attempt, lesson] = [refs('quiz_attempt'), refs('lesson')]

/** Returns the ids of the questions of these quizzes in their order, followed by those of questions that only earlier attempts had. */
export async function quizQuestionIds(database: SchoolReader, lessonIds: readonly string[]): Promise<string[]> {
  const lessons = await database
    .selectFrom('lesson')
    .select(sql<StoredQuiz | null>`${lesson.quiz}`.as('quiz'))
    .where('id', 'in', [...lessonIds])
    .orderBy('id')
    .execute()
  const recorded = await database
    .selectFrom('quiz_attempt')
    .innerJoinLateral(
      sql<Pick<QuestionResult, 'question_id'>>`jsonb_to_recordset(${attempt.results})`.as<'result'>(sql`result(question_id text)`),
      (join) => join.onTrue(),
    )
    .select('result.question_id')
    .distinct()
    .where('quiz_attempt.lesson_id', 'in', [...lessonIds])
    .orderBy('result.question_id')
    .execute()
  const present = lessons.flatMap(({ quiz }) => quiz?.questions.map(({ id }) => id) ?? [])
  return [...new Set([...present, ...recorded.map(({ question_id }) => question_id)])]
}
