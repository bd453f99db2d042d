import { Problem } from '../../base/problem.ts'

export function wrongSubscriptionState(verb: string, status: string, from: readonly string[]): Problem {
  const message = `A subscription with the status ${status} does not allow ${verb}: the status must be ${from.join(' or ')}.`
  return new Problem('invalid_state', {
    description: message,
    details: [{ field: 'status', code: 'invalid_state', message, meta: { status, allowed: [...from] } }],
  })
}
