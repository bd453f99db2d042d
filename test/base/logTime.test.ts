import { assert, date, property } from 'fast-check'
import { expect, test } from 'vitest'
import { createLogTime } from '../../src/base/log/log.ts'

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
