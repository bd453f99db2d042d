import { Problem } from '../../lib/problem.ts'

/** The state of a subscription does not allow what is asked; says which do. */
export function wrongState(verb: string, status: string, from: readonly string[]): Problem {
  const message = `A subscription that is ${status} takes no ${verb}: it must be ${from.join(' or ')}.`
  return new Problem('invalid_state', {
    description: message,
    details: [{ field: 'status', code: 'invalid_state', message, meta: { status, allowed: [...from] } }],
  })
}
