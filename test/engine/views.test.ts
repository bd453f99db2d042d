import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { narrowed, pickerOf, type View } from '../../src/engine/declare/views.ts'

const text = (view?: 'own' | 'staff') => z.string().nullable().meta({ description: 'A text.', view })
const schema = z.object({
  open: text(),
  own: text('own'),
  staff: text('staff'),
  inner: z.object({ open: text(), staff: text('staff') }).meta({ description: 'Inner.' }),
  many: z.array(z.object({ open: text(), own: text('own') })).meta({ description: 'Many.' }),
})
const views: View[] = ['public', 'own', 'staff']

describe('a view', () => {
  test('names what it shows at every depth, and nothing else', () => {
    const row = {
      open: 'a',
      own: 'b',
      staff: 'c',
      secret: 'x',
      inner: { open: 'd', staff: 'e', secret: 'x' },
      many: [{ open: 'f', own: 'g', secret: 'x' }],
    }
    expect(views.map((view) => pickerOf(schema, view)(row))).toEqual([
      { open: 'a', inner: { open: 'd' }, many: [{ open: 'f' }] },
      { open: 'a', own: 'b', inner: { open: 'd' }, many: [{ open: 'f', own: 'g' }] },
      { open: 'a', own: 'b', staff: 'c', inner: { open: 'd', staff: 'e' }, many: [{ open: 'f', own: 'g' }] },
    ])
  })

  test('never returns unknown stored members next to or below a declared value', () => {
    const strict = Object.fromEntries(views.map((view) => [view, narrowed(schema, view)])) as Record<View, z.ZodObject>
    const stored = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.string(),
        fc.constantFrom(null, undefined),
        fc.array(tie('value')),
        fc.dictionary(fc.constantFrom('open', 'own', 'staff', 'inner', 'many', 'secret', '__proto__', 'constructor'), tie('value')),
      ),
    }))
    fc.assert(
      fc.property(stored.value, fc.constantFrom(...views), (value, view) => {
        const names = (object: unknown): string[] =>
          typeof object === 'object' && object !== null
            ? [...(Array.isArray(object) ? [] : Object.keys(object)), ...Object.values(object).flatMap(names)]
            : []
        const picked = pickerOf(schema, view)(value)
        expect(new Set(names(picked)).isSubsetOf(new Set(['open', 'own', 'staff', 'inner', 'many']))).toBe(true)
        expect(Object.keys(picked as object)).toEqual(Object.keys((strict[view] as z.ZodObject).shape))
      }),
    )
  })

  test('fills in what the database does not hold', () => {
    const settings = z.object({
      on: z.boolean().default(true).meta({ description: 'On.' }),
      deep: z.object({ size: z.int().default(3).meta({ description: 'Size.' }) }).meta({ description: 'Deep.' }),
    })
    expect(pickerOf(settings, 'public')({})).toEqual({ on: true, deep: { size: 3 } })
    expect(pickerOf(settings, 'public')({ on: false, deep: { size: 9 } })).toEqual({ on: false, deep: { size: 9 } })
  })
})
