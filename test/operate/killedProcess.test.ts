import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { afterEach, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { send } from '../pages/account/account.ts'
import { createBrowser } from '../pages/browser.ts'
import { until } from '../support/poll.ts'
import { createHome, freePort, startProcess } from '../support/process.ts'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

/** A mail server that takes everything. Returns the commands that it got. */
async function mailServer(port: number): Promise<() => string> {
  let heard = ''
  const server = createServer((socket) => {
    let isData = false
    socket.on('error', () => {})
    socket.write('220 test ESMTP\r\n')
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      heard += chunk
      if (isData && !heard.endsWith('\r\n.\r\n')) return
      isData = chunk.startsWith('DATA')
      socket.write(isData ? '354 go on\r\n' : '250 ok\r\n')
    })
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  undo.push(() => server.close())
  return () => heard
}

test('e-mails and webhooks of a killed process are delivered after a restart', async () => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const received: { headers: Record<string, string>; body: string }[] = []
  let isUp = false
  const receiver = createHttpServer(async (request, response) => {
    const body = await text(request)
    if (isUp) received.push({ headers: request.headers as Record<string, string>, body })
    response.writeHead(isUp ? 200 : 503).end()
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  undo.push(() => receiver.close())
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  const [home, smtp] = [await createHome(), await freePort()]
  undo.push(() => home.remove())
  const school = {
    docs_url: 'https://docs.example.com',
    webhooks: [{ name: 'crm', url, types: ['security'], secrets: [`file:${join(home.directory, 'secret')}`] }],
    webhook_private_hosts: ['127.0.0.1'],
  }
  await writeFile(join(home.config, 'schools/demo.yaml'), stringify(school))
  await writeFile(join(home.directory, 'secret'), `${secret}\n`)
  const options = { home, environment: { SMTP_URL: `smtp://127.0.0.1:${smtp}`, DEMO: 'off' } }

  const first = await startProcess(options)
  undo.push(() => first.kill())
  const browser = createBrowser(first.issuer)
  const answer = await send(browser, await browser.get('/account/sign-up'), { email: 'wren@example.com', name: 'Wren' })
  expect(answer.status).toBe(200)
  const registered = await fetch(`${first.issuer}/api/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: ['http://127.0.0.1/callback'] }),
  })
  expect(registered.status).toBe(201)
  await until(() => /email.*will be retried/.test(first.output()) && /webhook.*will be retried/.test(first.output()), {
    what: 'failed attempts',
  })
  await first.kill()

  const heard = await mailServer(smtp)
  isUp = true
  const second = await startProcess(options)
  undo.push(() => second.stop())
  await until(() => heard().includes('RCPT TO:<wren@example.com>') && heard().includes('/account/sign-up/finish'), { what: 'the e-mail' })
  const registration = () => received.find(({ body }) => body.includes('security.client.registered'))
  await until(() => registration() !== undefined, { what: 'the webhook' })
  const { headers, body } = registration() ?? { headers: {}, body: '' }
  expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: 'security.client.registered' })
})
