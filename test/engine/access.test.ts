import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Role } from '../../src/base/caller.ts'
import type { Problem } from '../../src/base/problem.ts'
import { requireScope } from '../../src/engine/declare/access.ts'
import { defineResource } from '../../src/engine/declare/defineResource.ts'
import { everything, nothing } from '../../src/engine/declare/expressions.ts'
import type { Operation } from '../../src/engine/declare/operations.ts'
import { operationsOf } from '../../src/engine/declare/operationsOf.ts'

const staffOnly = defineResource({
  name: 'coupons',
  object: 'coupon',
  idPrefix: 'cpn',
  table: 'lecturer',
  about: 'Stands in for a resource of the staff.',
  scopes: { read: 'See coupons' },
  schema: z.object({ display_name: z.string().meta({ description: 'Name.' }) }),
  sorts: ['display_name'],
  visibility: { anonymous: nothing, learner: nothing, lecturer: nothing, staff: everything },
  operations: { list: 'read' },
})
const [operation] = operationsOf(staffOnly) as [Operation]

const refusal = (role: Role, scopes: string[], withheld: string[] = []): Problem | undefined => {
  try {
    requireScope(operation, {
      kind: 'person',
      accountId: 'a',
      personId: null,
      lecturerId: null,
      role,
      scopes: new Set(scopes),
      withheldScopes: new Set(withheld),
      clientId: 'c',
      grantId: 'g',
    })
    return undefined
  } catch (error) {
    return error as Problem
  }
}

describe('access', () => {
  test('a token without the scope is asked for every scope of the call', () => {
    expect(refusal('owner', ['courses:read'])).toMatchObject({ code: 'insufficient_scope', requiredScopes: ['coupons:read'] })
  })

  test('a caller who cannot see any row is rejected without a challenge: another scope would not help', () => {
    expect(refusal('learner', ['coupons:read'])).toMatchObject({ code: 'access_denied', details: [] })
    expect(refusal('lecturer', ['coupons:read'])).toMatchObject({ code: 'access_denied' })
    expect(refusal('admin', ['coupons:read'])).toBeUndefined()
  })

  test('a scope that the role can no longer grant is rejected without a challenge', () => {
    expect(refusal('admin', [], ['coupons:read'])).toMatchObject({ code: 'access_denied', requiredScopes: [] })
  })
})
