import { Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { createBackgroundTasks } from '../../src/lib/backgroundTasks.ts'
import { createLog } from '../../src/lib/log.ts'

const lines: string[] = []
const log = createLog('info', new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) }))

describe('backgroundTasks', () => {
  test('begin after the caller is done, run a bounded number at a time, and are waited for with all that they begin', async () => {
    const backgroundTasks = createBackgroundTasks({ log, concurrency: 2 })
    const seen: number[] = []
    let [now, most] = [0, 0]
    for (let at = 0; at < 7; at++) {
      backgroundTasks.run('count', async () => {
        most = Math.max(most, ++now)
        await new Promise((resolve) => setImmediate(resolve))
        now -= 1
        seen.push(at)
        if (at === 6) backgroundTasks.run('last', async () => void seen.push(7))
      })
    }
    expect(seen).toEqual([])
    await backgroundTasks.drained()
    expect(seen.toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    expect(most).toBe(2)
    await backgroundTasks.drained()
  })

  test('that fail are logged and do not stop the others, also if they throw synchronously', async () => {
    const backgroundTasks = createBackgroundTasks({ log, concurrency: 1 })
    let isDone = false
    backgroundTasks.run('first', () => Promise.reject(new Error('it broke')))
    backgroundTasks.run('second', () => {
      throw new Error('it broke immediately')
    })
    backgroundTasks.run('third', async () => {
      isDone = true
    })
    await backgroundTasks.drained()
    expect(isDone).toBe(true)
    expect(lines.join('')).toMatch(/"task":"first"[\s\S]*"task":"second"/)
  })

  test('are refused where too many wait', async () => {
    const backgroundTasks = createBackgroundTasks({ log, concurrency: 1, waiting: 2 })
    const { promise, resolve } = Promise.withResolvers<void>()
    backgroundTasks.run('holds', () => promise)
    backgroundTasks.run('waits', async () => {})
    expect(() => backgroundTasks.run('too many', async () => {})).toThrow('temporarily_unavailable')
    resolve()
    await backgroundTasks.drained()
  })
})
