import { z } from 'zod'
import { Problem, type ProblemDetail } from '../../lib/problem.ts'
import type { Writer } from '../../store/database.ts'
import { withinSavepoint } from '../../store/savepoint.ts'

/** The result of one item. */
export type BulkResult =
  | { index: number; status: number; id: string }
  | { index: number; status: number; error: { error: string; error_description: string; details?: ProblemDetail[] } }

/** How many items of a bulk request succeeded and failed. */
export const bulkSummary = z
  .object({
    total: z.int().meta({ description: 'Number of items.', example: 2 }),
    succeeded: z.int().meta({ description: 'Number of items that succeeded.', example: 1 }),
    failed: z.int().meta({ description: 'Number of items that failed.', example: 1 }),
  })
  .meta({ description: 'Numbers of items.', example: { total: 2, succeeded: 1, failed: 1 } })

/** The response of a bulk request: the result of each item, in order. */
export const bulkOutput = z.object({
  results: z
    .array(
      z.object({
        index: z.int().meta({ description: 'Position of the item in the request, from 0.', example: 0 }),
        status: z.int().meta({ description: 'Status that a single request would have returned.', example: 201 }),
        id: z
          .string()
          .optional()
          .meta({ description: 'Id of the object, if the item succeeded.', example: 'crs_01jgwejj00e6srgkpqm2sqf05m' }),
        error: z
          .object({
            error: z.string().meta({ description: 'Error code.', example: 'validation_failed' }),
            error_description: z.string().meta({ description: 'The error and its fix, for people.', example: 'The body is not valid.' }),
            details: z
              .array(
                z.object({
                  field: z.string().optional().meta({ description: 'Path of the field, with dots.', example: 'email' }),
                  code: z.string().meta({ description: 'Code of the rule that it breaks.', example: 'format' }),
                  message: z
                    .string()
                    .meta({ description: 'The rule and the fix, for people.', example: 'email: mail cannot be sent to this address' }),
                }),
              )
              .optional()
              .meta({ description: 'Every invalid field of the item.', example: [] }),
          })
          .optional()
          .meta({
            description: 'The error, if the item failed.',
            example: { error: 'validation_failed', error_description: 'The body is not valid.' },
          }),
      }),
    )
    .meta({ description: 'The result of each item, in order.', example: [] }),
  summary: bulkSummary,
})

export interface BulkAnswer extends Record<string, unknown> {
  results: BulkResult[]
  summary: { total: number; succeeded: number; failed: number }
}

export interface BulkRequest<Item> {
  items: readonly Item[]
  /** True if one failure undoes all items. */
  isAtomic: boolean
  /** Processes one item. A Problem that it throws undoes that item only. */
  each(item: Item, index: number): Promise<{ status: number; id: string }>
  /** Converts a thrown error to a Problem that a caller may see, such as `explainViolation` of a resource. */
  explain?(error: unknown): unknown
}

/**
 * Processes items in order, within the transaction of `writer`. An item that fails is rolled back to its savepoint.
 * @throws Problem of the first failure with all failures in `details`, if the request is atomic
 */
export async function bulk<Item>(
  writer: Writer,
  { items, isAtomic, each, explain = (error) => error }: BulkRequest<Item>,
): Promise<BulkAnswer> {
  const results: BulkResult[] = []
  const problems: { index: number; problem: Problem }[] = []
  for (const [index, item] of items.entries()) {
    try {
      results.push({ index, ...(await withinSavepoint(writer, () => each(item, index))) })
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

/** Returns the first failure, with the position and the errors of every failed item in its details. */
function withAll(first: Problem, problems: readonly { index: number; problem: Problem }[]): Problem {
  const details = problems.flatMap(({ index, problem }) =>
    (problem.details.length > 0 ? problem.details : [{ code: problem.code, message: problem.description }]).map((detail) => ({
      ...detail,
      field: detail.field === undefined ? `items.${index}` : `items.${index}.${detail.field}`,
    })),
  )
  const { code, status, description, message } = first
  return Object.assign(new Problem('invalid_request', { description, details }), { code, status, message })
}
