import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Problem } from '../../src/base/problem.ts'
import type { Operation } from '../../src/engine/declare/operations.ts'
import { parseParameters } from '../../src/engine/read/parseParameters.ts'
import { operationsIn, resources } from '../../src/school/index.ts'

const operations = operationsIn(resources)
const { parameters } = operations.find(({ id }) => id === 'listCourses') as Operation
const refusal = (raw: Record<string, unknown>): Problem => {
  try {
    parseParameters(parameters, raw)
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error(`taken: ${JSON.stringify(raw)}`)
}

describe('parameters', () => {
  test('are read from text, and from the values of a tool call, to the same effect', () => {
    const read = (raw: Record<string, unknown>) => [...parseParameters(parameters, raw)].filter(([, value]) => value !== undefined)
    expect(read({ limit: '5', status: 'draft,published', sort: '-title', 'price[lte]': '900' })).toEqual(
      read({ limit: 5, status: ['draft', 'published'], sort: '-title', 'price[lte]': 900 }),
    )
    expect(read({ status: 'draft' })).toEqual([
      ['status', ['draft']],
      ['limit', 20],
    ])
  })

  test.each([
    ['limt', 'limit'],
    ['sorts', 'sort'],
    ['created_at[gt3]', 'created_at[gt]'],
    ['Status', 'status'],
  ])('an unknown one (%s) is refused with the nearest right one (%s)', (name, nearest) => {
    expect(refusal({ [name]: 'x' })).toMatchObject({ code: 'invalid_parameter', details: [{ field: name, meta: { nearest } }] })
  })

  test.each([
    ['limit', '0'],
    ['limit', '101'],
    ['limit', '1e1'],
    ['limit', ''],
    ['limit', ' 5'],
    ['sort', 'price'],
    ['status', 'draft,gone'],
    ['status', ''],
    ['category', 'a\0b'],
    ['price[lte]', '2147483648'],
    ['price[lte]', '-1'],
    ['created_at[gte]', 'yesterday'],
    ['created_at[gte]', '0000-01-01T00:00:00Z'],
    ['created_at[gte]', '2026-02-30T00:00:00Z'],
    ['lecturer', 'crs_01jgwejj00e6srgkpqm2sqf05m'],
    ['tag', Array.from({ length: 51 }, (_, index) => index).join(',')],
  ])('%s=%j is refused by name', (name, value) => {
    expect(refusal({ [name]: value })).toMatchObject({ code: 'invalid_parameter', status: 400, details: [{ field: name }] })
  })

  test('all errors are reported together', () => {
    expect(
      refusal({ limit: 'x', sort: 'y', z: '1' })
        .details.map(({ field }) => field)
        .toSorted(),
    ).toEqual(['limit', 'sort', 'z'])
  })

  test('whatever is sent is taken or refused with a Problem in plain ASCII', () => {
    const names = parameters.map(({ name }) => name)
    const raw = fc.dictionary(
      fc.oneof(fc.constantFrom(...names), fc.string(), fc.constantFrom('__proto__', 'constructor')),
      fc.oneof(fc.string(), fc.anything()),
    )
    fc.assert(
      fc.property(raw, (values) => {
        try {
          parseParameters(parameters, values)
        } catch (error) {
          expect(error).toBeInstanceOf(Problem)
          expect((error as Problem).description).toMatch(/^[\x20-\x7e]+$/)
        }
      }),
    )
  })
})
