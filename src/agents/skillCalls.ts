import type { Operation } from '../engine/declare/operations.ts'
import { isOpen, isWholeList } from './entryPoints.ts'
import type { SchoolFacts } from './schoolFacts.ts'
import type { Skill, SkillCall } from './skill.ts'

export type SkillFacts = Pick<SchoolFacts, 'issuer' | 'apiPath' | 'operations' | 'isServed'>

export interface FoundCall {
  method: string
  path: string
  scopes: readonly string[]
  status: number
  roles: Operation['roles']
}

/** Returns the facts of a call. @throws Error if the operation does not exist */
export function findCall(call: SkillCall, { operations, apiPath }: SkillFacts): FoundCall {
  // The change feed belongs to no resource. It needs the read scope of each type.
  if (call.operation === 'listChanges') {
    const types = new URLSearchParams(call.query).get('types')?.split(',') ?? []
    const scopes = types.flatMap((type) => operations.find((one) => one.method === 'GET' && one.resource.object === type)?.scope ?? [])
    return { method: 'GET', path: `${apiPath}/changes`, scopes, status: 200, roles: ['staff'] }
  }
  const operation = operations.find(({ id }) => id === call.operation)
  if (!operation) throw new Error(`there is no operation ${call.operation}`)
  const { method, path, scope, successStatus: status, roles } = operation
  return { method, path, scopes: [scope], status, roles }
}

/** True if the school serves everything that the skill calls: an operator can turn off operations, and a school features. */
export async function isUsable(skill: Skill, { operations, isServed }: SkillFacts): Promise<boolean> {
  const ids = skill.steps.flatMap((step) => ('operation' in step && step.operation !== 'listChanges' ? [step.operation] : []))
  const called = ids.map((id) => operations.find((one) => one.id === id))
  if (called.includes(undefined)) return false
  const resources = new Set(called.map((operation) => operation?.resource))
  const lists = operations.filter((one) => resources.has(one.resource) && isWholeList(one) && isOpen(one) && one.anonymous === 'full')
  return (await Promise.all(lists.map(({ path }) => isServed(path)))).every(Boolean)
}
