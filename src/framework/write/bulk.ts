import { z } from 'zod'
import { Problem, type ProblemDetail } from '../../lib/problem.ts'
import type { Writer } from '../../store/database.ts'
import { withinSavepoint } from '../../store/savepoint.ts'

/** What became of one item. */
export type BulkResult =
  | { index: number; status: number; id: string }
  | { index: number; status: number; error: { error: string; error_description: string; details?: ProblemDetail[] } }

/** What a request for many rows answers: what became of each, in their order. */
export const bulkOutput = z.object({
  results: z
    .array(
      z.object({
        index: z.int().meta({ description: 'Place of the item in the request.', example: 0 }),
        status: z.int().meta({ description: 'What the item would have been answered by itself.', example: 201 }),
        id: z.string().optional().meta({ description: 'Id of the row, where all went well.', example: 'crs_01jgwejj00e6srgkpqm2sqf05m' }),
        error: z
          .object({
            error: z.string().meta({ description: 'What is wrong, as one word.', example: 'validation_failed' }),
            error_description: z.string().meta({ description: 'What is wrong.', example: 'The body is not valid.' }),
            details: z
              .array(
                z.object({
                  field: z.string().optional().meta({ description: 'The field that is meant.', example: 'email' }),
                  code: z.string().meta({ description: 'What is wrong with it, as one word.', example: 'format' }),
                  message: z
                    .string()
                    .meta({ description: 'What is wrong with it.', example: 'email: mail cannot be sent to this address' }),
                }),
              )
              .optional()
              .meta({ description: 'Every fault.', example: [] }),
          })
          .optional()
          .meta({
            description: 'Why nothing was done.',
            example: { error: 'validation_failed', error_description: 'The body is not valid.' },
          }),
      }),
    )
    .meta({ description: 'One for each item.', example: [] }),
  summary: z
    .object({
      total: z.int().meta({ description: 'Items.', example: 2 }),
      succeeded: z.int().meta({ description: 'Items that were done.', example: 1 }),
      failed: z.int().meta({ description: 'Items that were not.', example: 1 }),
    })
    .meta({ description: 'How many of them.', example: { total: 2, succeeded: 1, failed: 1 } }),
})

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
 * Does many items in their order, within the one transaction of `writer`: what fails is taken back to its own savepoint.
 * @throws Problem of the first failure with all of them in `details`, where it is all or nothing
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

/** The first failure, which says of every other one where and what it was. */
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
