import { Problem } from '../../lib/problem.ts'

/** Returns the error for an action that the state of a subscription does not allow. Lists the states that do. */
export function wrongSubscriptionState(verb: string, status: string, from: readonly string[]): Problem {
  const message = `A subscription with the status ${status} does not allow ${verb}: the status must be ${from.join(' or ')}.`
  return new Problem('invalid_state', {
    description: message,
    details: [{ field: 'status', code: 'invalid_state', message, meta: { status, allowed: [...from] } }],
  })
}
