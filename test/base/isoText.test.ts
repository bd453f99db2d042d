import { assert, date, property } from 'fast-check'
import { expect, test } from 'vitest'
import { isoText } from '../../src/base/text/isoText.ts'

test('the text of a time is that of toISOString, in every year', async () => {
  const [first, last] = [new Date(8.64e15 * -1), new Date(8.64e15)]
  for (const range of [
    { min: first, max: last },
    { min: new Date('0999-12-31'), max: new Date('2200-01-01') },
  ]) {
    await assert(
      property(date({ ...range, noInvalidDate: true }), (time) => {
        expect(isoText(time)).toBe(time.toISOString())
      }),
    )
  }
  expect(() => isoText(new Date(Number.NaN))).toThrow(RangeError)
})
