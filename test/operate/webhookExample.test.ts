import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createOutbound } from '../../src/base/net/outboundRequest.ts'
import { sendWebhook } from '../../src/school/webhooks/sendWebhook.ts'
import { until } from '../support/poll.ts'
import { freePort } from '../support/process.ts'

const root = resolve(import.meta.dirname, '../..')
const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

test('the receiver of docs/webhooks.md runs as printed, accepts an event once, and rejects a wrong signature', async () => {
  const [, code = ''] = /```js\n([\s\S]*?)```/.exec(await readFile(join(root, 'docs/webhooks.md'), 'utf8')) ?? []
  // Inside the project, so that its packages are found.
  const directory = join(root, 'node_modules/.cache', `receiver-${process.pid}`)
  await mkdir(directory, { recursive: true })
  undo.push(() => rm(directory, { recursive: true }))
  const [file, port, secret] = [join(directory, 'receiver.mjs'), await freePort(), `whsec_${Buffer.alloc(32, 7).toString('base64')}`]
  await writeFile(file, code)
  const receiver = spawn(process.execPath, [file], {
    env: { PORT: String(port), WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(receiver, 'exit')
  undo.push(() => receiver.kill() && ended)
  let output = ''
  receiver.stdout.on('data', (chunk) => {
    output += chunk
  })
  const url = new URL(`http://127.0.0.1:${port}/`)
  const event = { type: 'order.paid', timestamp: new Date().toISOString(), data: { id: 'ord_1' } }
  const request = { url, id: 'evt_1', event, send: createOutbound({ forbiddenReason: () => undefined, allowsHttp: true }) }
  await until(() => fetch(url).then(() => true), { what: 'the receiver to listen' })
  expect(await sendWebhook({ ...request, secrets: [secret] })).toBe(204)
  expect(await sendWebhook({ ...request, secrets: [secret] })).toBe(204)
  expect(await sendWebhook({ ...request, secrets: [`whsec_${Buffer.alloc(32, 8).toString('base64')}`] })).toBe(401)
  await until(() => output === 'order.paid ord_1\n', { what: 'one line' })
})
