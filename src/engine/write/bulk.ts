import { Problem, type ProblemDetail } from '../../base/problem.ts'
import { normaliseEmail } from '../../base/text/emailAddress.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { withinSavepoint } from '../../database/connection/savepoint.ts'

export type BulkResult =
  | { index: number; row?: number; key?: string; status: number; id: string }
  | {
      index: number
      row?: number
      key?: string
      status: number
      error: { error: string; error_description: string; details?: ProblemDetail[] }
    }

export interface BulkResponse extends Record<string, unknown> {
  results: BulkResult[]
  summary: { total: number; succeeded: number; failed: number }
}

export interface BulkRequest<Item> {
  items: readonly Item[]
  /** Returns the text by which an item names its object, such as an e-mail address. Its result repeats it. */
  key(item: Item): string | undefined
  /** True if the items were sent as CSV: results name the row. */
  isCsv?: boolean | undefined
  /** True if one failure undoes all items. */
  isAtomic: boolean
  /** Processes one item. A Problem that it throws undoes that item only. */
  each(item: Item, index: number): Promise<{ status: number; id: string }>
  /** Converts a thrown error to a Problem that a caller may see, such as `explainViolation` of a resource. */
  explain?(error: unknown): unknown
}

/**
 * Processes items within the transaction of `writer`, in the order of their keys, so that concurrent requests with the same items in another
 * order lock the rows in one order and cannot deadlock. Items with the same key keep their order. An item that fails is rolled back to its
 * savepoint. The results are in the order of the items.
 * @throws Problem of the first failure with all failures in `details`, if the request is atomic
 */
export async function bulk<Item>(
  writer: SchoolWriter,
  { items, key, isCsv, isAtomic, each, explain = (error) => error }: BulkRequest<Item>,
): Promise<BulkResponse> {
  const results: BulkResult[] = []
  const problems: { index: number; problem: Problem }[] = []
  const keyed = items.map((item, index) => ({ item, index, key: key(item) }))
  for (const { item, index, key } of keyed.toSorted(byKey)) {
    // As spreadsheets number them: the header is row 1.
    const named = { index, ...(isCsv && { row: index + 2 }), ...(key !== undefined && { key }) }
    try {
      results.push({ ...named, ...(await withinSavepoint(writer, () => each(item, index))) })
    } catch (thrown) {
      const problem = explain(thrown)
      if (!(problem instanceof Problem) || problem.status >= 500) throw problem
      problems.push({ index, problem })
      results.push({ ...named, status: problem.status, error: errorOf(problem) })
    }
  }
  problems.sort(byIndex)
  const [first] = problems
  if (isAtomic && first) throw withAll(first.problem, problems)
  return {
    results: results.sort(byIndex),
    summary: { total: items.length, succeeded: items.length - problems.length, failed: problems.length },
  }
}

const byIndex = (first: { index: number }, second: { index: number }): number => first.index - second.index

// The order of code units, which is the same in every process. Spellings of one address are equal.
function byKey(first: { key: string | undefined }, second: { key: string | undefined }): number {
  const one = sortKey(first)
  const other = sortKey(second)
  return one < other ? -1 : one > other ? 1 : 0
}

const sortKey = ({ key = '' }: { key: string | undefined }): string => normaliseEmail(key) ?? key

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
