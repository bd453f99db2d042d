import { expect, test } from 'vitest'
import { idIn, idsIn } from '../../src/engine/declare/expressions.ts'

test('a stored summary names a row only if it is an object whose id is a text', () => {
  expect(idIn({ id: 'cou_1', title: 'A course' })).toBe('cou_1')
  for (const other of [null, undefined, 'cou_1', 1, [], {}, { id: 1 }, { id: null }, () => undefined]) expect(idIn(other)).toBeNull()
  expect(idsIn([{ id: 'a' }, null, {}, { id: 'b' }])).toEqual(['a', 'b'])
  for (const other of [null, undefined, 'a', { id: 'a' }]) expect(idsIn(other)).toEqual([])
})
