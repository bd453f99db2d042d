import { Problem, type ProblemDetail } from '../lib/problem.ts'
import { withinSavepoint } from '../store/savepoint.ts'
import type { Sql } from '../store/sql.ts'

/** What became of one item. */
export type BulkResult =
  | { index: number; status: number; id: string }
  | { index: number; status: number; error: { error: string; error_description: string; details?: ProblemDetail[] } }

export interface BulkAnswer extends Record<string, unknown> {
  results: BulkResult[]
  summary: { total: number; succeeded: number; failed: number }
}

export interface BulkRequest<Item> {
  items: readonly Item[]
  /** All or nothing. */
  isAtomic: boolean
  /** Does one item; what it throws as a Problem takes back that item alone. */
  each(item: Item, index: number): Promise<{ status: number; id: string }>
  /** Says what of a thrown error a caller can be told; `explainViolation` does it for a resource. */
  explain?(error: unknown): unknown
}

/**
 * Does many items in their order, within the one transaction of `sql`: what fails is taken back to its own savepoint.
 * @throws Problem of the first failure with all of them in `details`, where it is all or nothing
 */
export async function bulk<Item>(sql: Sql, { items, isAtomic, each, explain = (error) => error }: BulkRequest<Item>): Promise<BulkAnswer> {
  const results: BulkResult[] = []
  const problems: { index: number; problem: Problem }[] = []
  for (const [index, item] of items.entries()) {
    try {
      results.push({ index, ...(await withinSavepoint(sql, () => each(item, index))) })
    } catch (thrown) {
      const problem = explain(thrown)
      if (!(problem instanceof Problem) || problem.status >= 500) throw problem
      problems.push({ index, problem })
      results.push({ index, status: problem.status, error: errorOf(problem) })
    }
  }
  const [first] = problems
  if (isAtomic && first) throw withAll(first.problem, problems)
  return { results, summary: { total: items.length, succeeded: items.length - problems.length, failed: problems.length } }
}

const errorOf = ({ code, description, details }: Problem) => ({
  error: code,
  error_description: description,
  ...(details.length > 0 && { details }),
})

/** The first failure, which says of every other one where and what it was. */
function withAll(first: Problem, problems: readonly { index: number; problem: Problem }[]): Problem {
  const details = problems.flatMap(({ index, problem }) =>
    (problem.details.length > 0 ? problem.details : [{ code: problem.code, message: problem.description } as ProblemDetail]).map(
      (detail) => ({
        ...detail,
        field: detail.field === undefined ? `items.${index}` : `items.${index}.${detail.field}`,
      }),
    ),
  )
  const { code, status, description, message } = first
  return Object.assign(new Problem('invalid_request', { description, details }) as object, { code, status, message }) as unknown as Problem
}
