import { Problem, type ProblemDetail } from '../../base/problem.ts'
import { normaliseEmail } from '../../base/text/emailAddress.ts'
import { isObject } from '../../base/text/jsonValue.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { withinSavepoint } from '../../database/connection/savepoint.ts'

/** The most items of one request, and rows of a CSV file. */
export const maxItems = 100

export type BulkResult =
  | { index: number; row?: number | undefined; key?: string; status: number; id: string }
  | {
      index: number
      row?: number | undefined
      key?: string
      status: number
      error: { error: string; error_description: string; details?: ProblemDetail[] }
    }

export interface BulkResponse extends Record<string, unknown> {
  results: BulkResult[]
  summary: { total: number; succeeded: number; failed: number; cleared?: number }
}

export interface BulkOutcome {
  status: number
  id: string
  /** Number of values that the item cleared. */
  cleared?: number
}

export interface BulkRequest<Item> {
  /** The items as they were sent. */
  items: readonly unknown[]
  /** Returns a sent item in the form of the operation. A Problem that it throws rejects that item only. */
  check(item: unknown): Item
  /** Members by which an item names its object, such as an e-mail address. The result repeats the first one that was sent. */
  keys: readonly string[]
  /** The rows of a CSV file in which the items are. */
  rows?: readonly number[] | undefined
  /** True if one failure undoes all items. */
  isAtomic: boolean
  /** Prepares the valid items together, such as by their locks. Returns what processes one: a Problem that it throws undoes that item only. */
  begin(items: readonly Item[]): Promise<(item: Item) => Promise<BulkOutcome>>
  /** Converts a thrown error to a Problem that a caller may see, such as `explainViolation` of a resource. */
  explain?(error: unknown): unknown
}

/**
 * Checks and processes items within the transaction of `writer`, in the order of their keys, so that concurrent requests with the same items in
 * another order lock the rows in one order and cannot deadlock. Items with the same key keep their order. An item that fails is rolled back to
 * its savepoint. The results are in the order of the items.
 * @throws Problem of the first failure with all failures in `details`, if the request is atomic
 */
export async function bulk<Item>(
  writer: SchoolWriter,
  { items, check, keys, rows, isAtomic, begin, explain = (error) => error }: BulkRequest<Item>,
): Promise<BulkResponse> {
  const results: BulkResult[] = []
  const problems: { index: number; problem: Problem }[] = []
  let cleared = 0
  const checked = items.map((sent, index) => ({ index, key: keyOf(sent, keys), ...checkedItem(sent, check) }))
  const each = await begin(checked.flatMap((one) => ('item' in one ? [one.item] : [])))
  for (const { index, key, ...one } of checked.toSorted(byKey)) {
    const named = { index, ...(rows && { row: rows[index] }), ...(key !== undefined && { key }) }
    try {
      if ('problem' in one) throw one.problem
      const { cleared: values = 0, ...outcome } = await withinSavepoint(writer, () => each(one.item))
      cleared += values
      results.push({ ...named, ...outcome })
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
    summary: { total: items.length, succeeded: items.length - problems.length, failed: problems.length, ...(cleared > 0 && { cleared }) },
  }
}

function checkedItem<Item>(sent: unknown, check: (item: unknown) => Item): { item: Item } | { problem: Problem } {
  try {
    return { item: check(sent) }
  } catch (error) {
    if (error instanceof Problem) return { problem: error }
    throw error
  }
}

function keyOf(sent: unknown, keys: readonly string[]): string | undefined {
  const found = isObject(sent) ? keys.map((name) => (Object.hasOwn(sent, name) ? sent[name] : undefined)) : [sent]
  return found
    .find((one) => typeof one === 'string')
    ?.slice(0, maxKeyLength)
    .toWellFormed()
}

const maxKeyLength = 254

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
