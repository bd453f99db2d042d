import type { ScopeEntry } from './area.ts'
import type { Operation } from './operations.ts'
import { type Risk, readers, type ScopeRisks } from './permissionSentences.ts'

const hasRisk = (operation: Operation, risk: Risk): boolean =>
  risk === 'deletes' ? operation.method === 'DELETE' : 'rules' in operation && 'risk' in operation.rules && operation.rules.risk === risk

/** Returns the scopes with the risks of their operations, for each role. */
export function withRisks(scopes: readonly ScopeEntry[], operations: readonly Operation[]): (ScopeEntry & { risks: ScopeRisks })[] {
  const byScope = Map.groupBy(operations, ({ scope }) => scope)
  return scopes.map((scope) => {
    const own = byScope.get(scope.name) ?? []
    const readersOf = (risk: Risk) => readers.filter((reader) => own.some((one) => one.roles.includes(reader) && hasRisk(one, risk)))
    return { ...scope, risks: { takes_over: readersOf('takes_over'), costs: readersOf('costs'), deletes: readersOf('deletes') } }
  })
}
