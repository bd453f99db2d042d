import { z } from 'zod'
import type { Viewer } from '../../base/caller.ts'
import type { StatementValue } from '../../database/connection/statementCache.ts'
import type { AnyRows, Condition } from '../declare/expressions.ts'
import type { Parameter } from '../declare/parameters.ts'

/** A condition whose text depends on its shape only, so that its statement is built once. */
export interface SharedCondition {
  shape: string
  values: readonly StatementValue[]
  where(rows: AnyRows, values: readonly StatementValue[], caller: Viewer): Condition
}

/** A condition of a list. A function is called for every request. */
export type RowCondition = ((rows: AnyRows) => Condition) | SharedCondition

export const expressionOf = (condition: RowCondition, rows: AnyRows, caller: Viewer): Condition =>
  typeof condition === 'function' ? condition(rows) : condition.where(rows, condition.values, caller)

/** Returns the condition of a filter. The number of values belongs to the shape, and so do choices, because a rule may depend on them. */
export function filterCondition(
  name: string,
  { filter, operator }: NonNullable<Parameter['filter']>,
  { values, caller: asker }: { values: readonly unknown[]; caller: Viewer },
): RowCondition {
  const stored = values.map((value) => filter.stored(value))
  if (filter.value instanceof z.ZodEnum || filter.value instanceof z.ZodBoolean) {
    const shape = `${name}=${JSON.stringify(stored)}`
    return { shape, values: [], where: (rows, _none, caller) => filter.where(rows, operator, stored, caller) }
  }
  if (!filter.isShared) return (rows) => filter.where(rows, operator, stored, asker)
  return {
    shape: `${name}#${stored.length}`,
    values: stored as StatementValue[],
    where: (rows, current, caller) => filter.where(rows, operator, current, caller),
  }
}
