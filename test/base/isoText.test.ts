import { assert, date, property } from 'fast-check'
import { expect, test } from 'vitest'
import { createLogTime } from '../../src/base/log/log.ts'
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

test('the time of a line is the ISO text of its millisecond, whatever the line before', async () => {
  const logTime = createLogTime()
  await assert(
    property(date({ min: new Date('1960-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }), (one) => {
      for (const milliseconds of [one.getTime(), one.getTime() + 1, one.getTime() + 999]) {
        expect(logTime(milliseconds)).toBe(`,"time":"${new Date(milliseconds).toISOString()}"`)
      }
    }),
  )
})
