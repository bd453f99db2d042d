import type { ProblemDetail } from '../../base/problem.ts'
import type { Values } from '../declare/expressions.ts'

/**
 * Returns errors of fields in combination, in addition to those of single fields, so that one response names all of them. Ignores the
 * result of a rule that reads an invalid field.
 */
export async function joinFieldErrors(
  fieldErrors: readonly ProblemDetail[],
  values: Values,
  check: (values: Values) => Promise<readonly ProblemDetail[]>,
): Promise<readonly ProblemDetail[]> {
  if (fieldErrors.length === 0) return await check(values)
  const invalid = new Set(fieldErrors.map(({ field }) => field?.split('.')[0]))
  let hasReadInvalid = false
  const watched = new Proxy(values, {
    get(target, name, receiver) {
      if (typeof name === 'string' && invalid.has(name)) hasReadInvalid = true
      return Reflect.get(target, name, receiver)
    },
  })
  try {
    const found = await check(watched)
    return hasReadInvalid ? [] : found
  } catch {
    // The request is rejected in any case, and a rule may fail without the invalid field.
    return []
  }
}
