import { once } from 'node:events'
import { request as sendRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { renderProblems } from '../../../src/base/http/problems.ts'
import { readBody } from '../../../src/base/http/readBody.ts'
import { createLog } from '../../../src/base/log/log.ts'

const limitBytes = 64
const koa = new Koa()
koa.use(renderProblems(createLog('silent'), () => undefined))
koa.use(async (ctx) => {
  ctx.body = { bytes: (await readBody(ctx, limitBytes)).length }
})
const server = koa.listen(0, '127.0.0.1')
beforeAll(async () => {
  if (!server.listening) await once(server, 'listening')
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** Sends a body without a length, in chunks of 16 bytes, and returns status and body of the response. */
async function sendChunks(bytes: number): Promise<[status: number | undefined, body: string]> {
  const { port } = server.address() as AddressInfo
  const outgoing = sendRequest({ port, host: '127.0.0.1', method: 'POST', headers: { 'Transfer-Encoding': 'chunked' } })
  const answered = once(outgoing, 'response')
  for (let sent = 0; sent < bytes; sent += 16) outgoing.write('x'.repeat(Math.min(16, bytes - sent)))
  outgoing.end()
  const [response] = await answered
  return [response.statusCode, Buffer.concat(await response.toArray()).toString()]
}

test('a chunked body, which names no length, has the same limit as any other', async () => {
  expect(await sendChunks(limitBytes)).toEqual([200, '{"bytes":64}'])
  expect(await sendChunks(limitBytes + 1)).toEqual([413, expect.stringContaining('"payload_too_large"')])
})
