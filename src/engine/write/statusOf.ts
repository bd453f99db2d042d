import { Problem } from '../../base/problem.ts'
import type { SeenRow } from '../declare/expressions.ts'
import type { Resource } from '../declare/resource.ts'
import { type Presentation, selectedOf } from '../declare/rowSerializer.ts'

export function statusOf({ derivations, stateColumn }: Resource, row: SeenRow, context: Presentation): string {
  const derivation = derivations.find(({ field }) => field === 'status')
  if (!derivation) return String(row[stateColumn])
  return String(derivation.of(derivation.isSelected ? selectedOf(row, 'status') : row, context))
}

/** True if the status is stored in a column: a query may calculate it from others instead. */
export const hasStoredStatus = ({ selections }: Resource): boolean => !selections.some(({ field }) => field === 'status')

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
