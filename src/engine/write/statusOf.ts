import type { SeenRow } from '../declare/expressions.ts'
import type { Presentation } from '../declare/presentation.ts'
import type { Resource } from '../declare/resource.ts'
import { selectedOf } from '../declare/rowSerializer.ts'

export function statusOf({ derivations, stateColumn }: Resource, row: SeenRow, context: Presentation): string {
  const derivation = derivations.find(({ field }) => field === 'status')
  if (!derivation) return String(row[stateColumn])
  return String(derivation.of(derivation.isSelected ? selectedOf(row, 'status') : row, context))
}

/** True if the status is stored in a column: a query may calculate it from others instead. */
export const hasStoredStatus = ({ selections }: Resource): boolean => !selections.some(({ field }) => field === 'status')
