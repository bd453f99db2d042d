import { expect, test } from 'vitest'
import { objectBuilder } from '../../src/base/text/objectBuilder.ts'

test('an object has the declared members in their order, whatever characters their names contain', () => {
  const names = ['b', 'a', 'with "quotes"', 'constructor', '\u2028', '`a`', '1']
  const build = objectBuilder<number, number>(names.map((name, index) => [name, (first, second) => first + second + index]))
  expect(build(1, 2)).toStrictEqual(Object.fromEntries(names.map((name, index) => [name, 3 + index])))
  expect(JSON.stringify(build(1, 2))).toBe(JSON.stringify(Object.fromEntries(names.map((name, index) => [name, 3 + index]))))
})

test('a member named __proto__ is rejected, because it would replace the prototype', () => {
  expect(() => objectBuilder([['__proto__', () => ({})]])).toThrow('__proto__')
})
