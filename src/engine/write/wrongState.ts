import { Problem } from '../../base/problem.ts'
import type { Resource } from '../declare/resource.ts'

/** Creates the Problem for an operation that the status of the row does not allow. Names the statuses that do. */
export function wrongState(
  { object }: Pick<Resource, 'object'>,
  { verb, status, from }: { verb: string; status: string; from: readonly string[] },
): Problem {
  const message = `status: must be ${from.join(' or ')} for ${verb}. This ${object.replaceAll('_', ' ')} is ${status}.`
  return new Problem('invalid_state', {
    description: message,
    details: [{ field: 'status', code: 'invalid_state', message, meta: { status, allowed: [...from] } }],
  })
}
