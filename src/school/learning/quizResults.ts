import type { Answer, QuestionResult } from './scoreQuiz.ts'

/** Returns the result of each question of an attempt with the given answer; null if no results were recorded. */
export function resultsOf({ results, answers }: { results: readonly QuestionResult[] | null; answers: readonly Answer[] }) {
  if (results === null) return null
  const given = new Map(answers.map((answer) => [answer.question_id, answer]))
  return results.map(({ question_id, correct, points }) => {
    const { choice_ids = null, text = null } = given.get(question_id) ?? {}
    return { question_id, correct, points, points_awarded: correct ? points : 0, choice_ids, text }
  })
}
