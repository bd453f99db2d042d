import { Problem } from '../../lib/problem.ts'
import type { Resource } from '../declare/resource.ts'

/** The state of a row does not allow what is asked; says which do. */
export function wrongState(
  { object }: Pick<Resource, 'object'>,
  { verb, status, from }: { verb: string; status: string; from: readonly string[] },
): Problem {
  const message = `A ${object.replaceAll('_', ' ')} that is ${status} takes no ${verb}: it must be ${from.join(' or ')}.`
  return new Problem('invalid_state', {
    description: message,
    details: [{ field: 'status', code: 'invalid_state', message, meta: { status, allowed: [...from] } }],
  })
}
