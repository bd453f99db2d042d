import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { operationsIn, resources } from '../../src/resources/index.ts'

/** Every operation that the school's API promises, a line each. */
const [head = '', ...lines] = readFileSync(new URL('operations.csv', import.meta.url), 'utf8')
  .trim()
  .split(/\r?\n/)
const columns = head.split(',')
const register = lines.map((line) => Object.fromEntries(line.split(',').map((value, index) => [columns[index] ?? '', value])))

/** Groups of which every operation is there. */
const complete = [
  'account',
  'analytics',
  'appearance',
  'comments',
  'coupons',
  'courses',
  'curriculum',
  'digital_products',
  'events',
  'forms',
  'lecturers',
  'members',
  'membership_plans',
  'orders',
  'pages',
  'posts',
  'school',
  'storage',
  'subscriptions',
]

/** Opened by a signed address and no token: a route of its own in front of the API. */
const signed = ['putUploadContent']

const anonymous = { F: 'full', P: 'partial', N: 'none' } as Record<string, string>
const declared = operationsIn(resources).map((operation) => ({
  id: operation.id,
  method: operation.method,
  path: operation.path,
  scope: operation.scope,
  anonymous: operation.anonymous,
  success: operation.successStatus,
}))

test.each(declared)('$id is what the register says of it', (operation) => {
  const found = register.find(({ operation_id }) => operation_id === operation.id)
  expect(operation).toEqual({
    id: found?.operation_id,
    method: found?.method,
    path: found?.path,
    scope: found?.scope,
    anonymous: anonymous[found?.anonymous ?? ''],
    success: Number(found?.success),
  })
})

test.each(complete)('every registered operation of %s is there', (group) => {
  const ids = register.filter((row) => row.group === group).map(({ operation_id }) => operation_id)
  expect(ids.length).toBeGreaterThan(0)
  expect([...declared.map(({ id }) => id), ...signed]).toEqual(expect.arrayContaining(ids))
})
