import Koa from 'koa'
import request from 'supertest'
import { expect, test } from 'vitest'
import { renderProblems } from '../../../src/base/http/problems.ts'
import { createLog } from '../../../src/base/log/log.ts'
import { Problem } from '../../../src/base/problem.ts'

async function linesAfter(error: Error): Promise<Record<string, unknown>[]> {
  const lines: string[] = []
  const koa = new Koa()
  koa.use(renderProblems(createLog('info', { write: (line) => void lines.push(line) })))
  koa.use(() => {
    throw error
  })
  await request(koa.callback()).get('/').expect(503)
  return lines.map((line) => JSON.parse(line))
}

test('a request that the service refuses because of its load is logged as a warning without a stack, a lost store as an error', async () => {
  const cause = new Error('canceling statement due to lock timeout')
  const [refused, ...more] = await linesAfter(new Problem('temporarily_unavailable', { cause }))
  expect(refused).toMatchObject({ level: 40, msg: 'request refused, too busy', reason: cause.message })
  expect([JSON.stringify(refused).includes('.ts:'), more]).toEqual([false, []])
  const lost = await linesAfter(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }))
  expect(lost).toMatchObject([{ level: 50, msg: 'request failed' }])
})
