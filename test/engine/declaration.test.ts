import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineArea } from '../../src/engine/declare/area.ts'
import { defineResource } from '../../src/engine/declare/defineResource.ts'
import { everything, nothing } from '../../src/engine/declare/expressions.ts'
import { operationsOf } from '../../src/engine/declare/operationsOf.ts'

const text = (description = 'A text.') => z.string().meta({ description })

const base = {
  name: 'lecturers',
  object: 'lecturer',
  idPrefix: 'lec',
  table: 'lecturer',
  about: 'Who teaches.',
  scopes: { read: 'See lecturers' },
  schema: z.object({ display_name: text(), status: z.enum(['active', 'hidden']).meta({ description: 'State.' }) }),
  sorts: ['display_name'],
  visibility: { anonymous: everything, learner: everything, lecturer: everything, staff: everything },
  operations: { list: 'read' },
} as const

describe('a declaration that says something wrong does not compile', () => {
  test('a misspelt scope verb, operation, field, filter, sort or view, a missing role, a field without a source', () => {
    const wrong = [
      // @ts-expect-error no such verb
      () => defineResource({ ...base, operations: { list: 'raed' } }),
      // @ts-expect-error the area has no scope for writing
      () => defineResource({ ...base, operations: { list: 'write' } }),
      // @ts-expect-error no such verb among the sentences
      () => defineResource({ ...base, scopes: { raed: 'See lecturers' } }),
      // @ts-expect-error no such operation
      () => defineResource({ ...base, operations: { lst: 'read' } }),
      // @ts-expect-error no such field to filter by
      () => defineResource({ ...base, filters: ['statsu'] }),
      // @ts-expect-error no such field to sort by
      () => defineResource({ ...base, sorts: ['-display_nam'] }),
      // @ts-expect-error a field to sort by that can be null and is not a time
      () => defineResource({ ...base, schema: z.object({ headline: text().nullable() }), sorts: ['headline'] }),
      // @ts-expect-error no such field to write
      () => defineResource({ ...base, writable: ['displayname'] }),
      // @ts-expect-error the visibility of staff is missing
      () => defineResource({ ...base, visibility: { anonymous: everything, learner: everything, lecturer: everything } }),
      // @ts-expect-error the table has no such column, and `derived` has no entry for the field
      () => defineResource({ ...base, schema: z.object({ display_nmae: text() }) }),
      // @ts-expect-error no such column in a rule
      () => defineResource({ ...base, visibility: { ...base.visibility, anonymous: (lecturer) => lecturer('statsu', '=', 'active') } }),
      // @ts-expect-error no such table
      () => defineResource({ ...base, table: 'lecturers' }),
      // @ts-expect-error no such view
      () => text().meta({ description: 'A text.', view: 'staf' }),
    ]
    expect(wrong).toHaveLength(13)
  })
})

describe('a declaration that types cannot judge is refused at start', () => {
  test('a field whose description, and so its view, was lost in the chain', () => {
    const schema = z.object({ display_name: z.string().meta({ description: 'Name.', view: 'staff' }).nullable() })
    expect(() => defineResource({ ...base, schema, filters: [], sorts: ['-created_at'] })).toThrow(
      'lecturers.display_name has no description',
    )
  })

  test('a list without an order', () => {
    expect(() => defineResource({ ...base, sorts: [] })).toThrow('must declare a sort')
  })

  test('an order by a text that can be null, unless another column takes its place', () => {
    const schema = z.object({ headline: z.string().nullable().meta({ description: 'Headline.' }) })
    const sorted = (sorts: readonly never[]) => defineResource({ ...base, schema, sorts })
    expect(() => sorted(['headline' as never])).toThrow("headline can be null and is not a time. Use { field: 'headline', else: '…' }")
    expect(sorted([{ field: 'headline', else: 'display_name' } as never]).sorts).toHaveLength(2)
  })

  test('an operation with a scope that its area does not have: the error names what to add', () => {
    const resource = defineResource({ ...base, operations: { list: 'read', remove: 'write' as never } })
    expect(() => operationsOf(resource)).toThrow(
      'lecturers: deleteLecturer needs the scope lecturers:write, which the area does not have. Add write with its sentence to scopes',
    )
  })

  test.each([
    ['a status that rows never have', { from: ['active'], to: 'hiden' }, 'names the status hiden, which rows never have'],
    ['a status that it leads to from nowhere', { to: 'hidden' }, 'declares to, so it must declare from'],
  ])('an action with %s', (_what, states, message) => {
    const hide = { scope: 'read' as const, summary: 'Hide a lecturer', ...states }
    expect(() => defineResource({ ...base, actions: { hide } })).toThrow(message)
  })

  test('an action that follows an operation that does not exist', () => {
    const hide = { scope: 'read' as const, summary: 'Hide a lecturer', follows: 'showLecturers' }
    expect(() => operationsOf(defineResource({ ...base, actions: { hide } }))).toThrow('lecturers has no operation showLecturers')
  })
})

test('a second resource can share the area of a first', () => {
  const area = defineArea('lecturers', { read: 'See lecturers' })
  const shared = defineResource({ ...base, scopes: area, visibility: { ...base.visibility, anonymous: nothing } })
  expect(shared.area).toBe(area)
  expect(shared.audiences).toEqual(['learner', 'lecturer', 'staff'])
})
