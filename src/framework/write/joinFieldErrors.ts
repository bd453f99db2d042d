import type { ProblemDetail } from '../../lib/problem.ts'
import type { Values } from '../declare/values.ts'

/**
 * Faults of the fields together, in addition to those of single fields, so that one response names everything. A rule that reads a
 * field which is not valid by itself would judge without it: its result is left out.
 */
export async function joinFieldErrors(
  fieldErrors: readonly ProblemDetail[],
  values: Values,
  check: (values: Values) => Promise<readonly ProblemDetail[]>,
): Promise<readonly ProblemDetail[]> {
  if (fieldErrors.length === 0) return await check(values)
  const faulty = new Set(fieldErrors.map(({ field }) => field?.split('.')[0]))
  let isJudgedWithout = false
  const watched = new Proxy(values, {
    get(target, name, receiver) {
      if (typeof name === 'string' && faulty.has(name)) isJudgedWithout = true
      return Reflect.get(target, name, receiver)
    },
  })
  try {
    const found = await check(watched)
    return isJudgedWithout ? [] : found
  } catch {
    // The request is refused in any case, and a rule may need what is not valid.
    return []
  }
}
