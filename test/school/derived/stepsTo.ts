import type { Operation, OperationOf } from '../../../src/engine/declare/operations.ts'
import { everyWrite, resourceOnPath } from './everyWrite.ts'

/** Returns the statuses of the row in the path in which the operation has an effect, undefined if the declaration names none. */
export function statusesBefore(operation: Operation): readonly string[] | undefined {
  if (operation.kind === 'create') return operation.rules.parentStatus
  if (operation.kind === 'remove') return operation.rules.from
  if (operation.kind !== 'action' || !operation.rules.from) return undefined
  const { from, to } = operation.rules
  const others = from.filter((status) => ![to].flat().includes(status))
  return others.length > 0 ? others : from
}

type Action = OperationOf<'action'>

/** Returns the shortest sequence of actions that leads a row from its status to one in which the operation has an effect. */
export function stepsTo(operation: Operation, status: string): Operation[] | undefined {
  const goals = statusesBefore(operation)
  const resource = resourceOnPath(operation)
  const actions = everyWrite.filter((one): one is Action => one.kind === 'action' && one.resource === resource && one !== operation)
  const paths = new Map<string, Operation[]>([[status, []]])
  for (const [reached, path] of paths) {
    if (!goals || goals.includes(reached)) return path
    for (const action of actions.filter(({ rules }) => rules.from?.includes(reached))) {
      // The first is the usual one, to which a request with the examples of the schema leads.
      const [next] = [action.rules.to ?? []].flat()
      if (next !== undefined && !paths.has(next)) paths.set(next, [...path, action])
    }
  }
  return undefined
}
