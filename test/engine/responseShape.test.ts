import { expect, test } from 'vitest'
import { Problem } from '../../src/base/problem.ts'
import { scopeName } from '../../src/engine/declare/area.ts'
import { parameterValues } from '../../src/engine/declare/expressions.ts'
import type { Operation } from '../../src/engine/declare/operations.ts'
import { type AnyExpansion, expandedResources } from '../../src/engine/declare/resource.ts'
import { parseShape } from '../../src/engine/declare/responseShape.ts'
import { operationsIn, resources } from '../../src/school/index.ts'

const scopesOf = (expansion: AnyExpansion) => expandedResources(expansion).map(({ area }) => scopeName(area, 'read'))

/** Every expansion of every operation that staff can call, with the scopes of the rows on its path. */
const expansions = operationsIn(resources)
  .filter(({ roles, parameters }) => roles.includes('staff') && parameters.some(({ name }) => name === 'expand'))
  .flatMap((operation) =>
    Object.entries(operation.resource.expansions).flatMap(([name, outer]) => {
      const scopes = scopesOf(outer)
      const nested = outer.resources ? [] : Object.entries(outer.resource().expansions)
      return [
        { operation, path: name, needed: scopes },
        ...nested.map(([inner, expansion]) => ({ operation, path: `${name}.${inner}`, needed: [...scopes, ...scopesOf(expansion)] })),
      ]
    }),
  )

/** Returns the scopes that the response demands, or undefined if the expansion is allowed. */
function demanded(operation: Operation, path: string, scopes: readonly string[]): readonly string[] | undefined {
  const caller = { kind: 'person', role: 'owner', accountId: '', personId: null, lecturerId: null, clientId: '', grantId: '' } as const
  try {
    const parameters = parameterValues<never>(new Map([['expand', [path]]]))
    parseShape({ operation, parameters, caller: { ...caller, scopes: new Set(scopes) } })
    return undefined
  } catch (error) {
    if (error instanceof Problem && error.code === 'insufficient_scope') return error.requiredScopes
    throw error
  }
}

test('an expansion needs the read scope of every resource on its path, and no other', () => {
  expect(expansions.length).toBeGreaterThan(100)
  for (const { operation, path, needed } of expansions) {
    const all = [...new Set([operation.scope, ...needed])]
    expect(demanded(operation, path, all), `${operation.id} ${path}`).toBeUndefined()
    for (const lacking of needed) {
      const without = all.filter((scope) => scope !== lacking)
      expect(new Set(demanded(operation, path, without)), `${operation.id} ${path} without ${lacking}`).toEqual(new Set(all))
    }
  }
})
