import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { ConfigError } from '../../src/config/configErrors.ts'
import { startFailure } from '../../src/operate/serve/failureText.ts'
import { readyDetails, welcome } from '../../src/operate/serve/welcome.ts'
import { personCalled } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { until } from '../support/poll.ts'
import { startService } from '../support/service.ts'

const service = duringTests(() => startService({ people: [{ email: 'ada@example.com' }] }))

const demo = (password: string | undefined, passwordIn: string) => ({ issuer: service.issuer, password, passwordIn })
const text = (options = {}) =>
  welcome({ app: service.app, demo: demo('made-up-one', 'data/demo_password'), outbox: 'data/outbox', ...options })

test('the welcome text shows a demo password that the service made, and only names the variable of one from the environment', () => {
  expect(text()).toMatch(/made-up-one {2}\(stored in data\/demo_password\)/)
  expect(text({ demo: demo(undefined, 'DEMO_PASSWORD') })).toContain('the password in DEMO_PASSWORD')
  expect(text({ demo: undefined })).not.toContain('password')
})

test('the welcome text names the pages for people and the folder of the e-mails', async () => {
  expect(text()).toContain('saved to data/outbox')
  expect(text({ outbox: undefined })).toContain('sent with SMTP_URL')
  const pages = [...text().matchAll(/^ {2}(http\S+) {2,}(?!http)\w/gm)].map(([, address]) => String(address))
  expect(pages.map((address) => address.slice(service.issuer.length))).toEqual(['/', '/account', '/docs'])
  for (const address of pages) {
    const page = await fetch(address, { headers: { accept: 'text/html' } })
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  }
})

test('every address and command of the welcome text works as it is printed, on the port of the service', async () => {
  for (const [address] of text().matchAll(/http:\/\/127[^\s'"]*/g))
    if (!address.includes(':8765')) expect((await fetch(address)).ok || /register$/.test(address)).toBe(true)
  const commands = text()
    .split('\n')
    .filter((line) => /^ {2}(curl|npm) /.test(line))
  expect(commands).toHaveLength(3)
  for (const command of commands) {
    const child = spawn('sh', ['-c', command], { cwd: resolve(import.meta.dirname, '../..'), stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    const closed = once(child, 'close')
    if (command.includes('first-token')) {
      const address = await until(() => /^ {2}(http\S+)$/m.exec(output)?.[1], { what: 'the address to open' })
      await fetch(await personCalled('ada@example.com').authorize(address, { scopes: ['openid'] }))
    }
    expect([command, (await closed)[0]]).toEqual([command, 0])
    expect(output).toMatch(/"(data|client_id|sub)"/)
  }
})

test('the welcome text says how to see requests where the terminal does not show them', () => {
  const { app } = service
  expect(welcome({ app, demo: undefined, outbox: undefined }, { isQuiet: true })).toContain('LOG_LEVEL=info')
  expect(text()).not.toContain('LOG_LEVEL')
})

test('the log of a ready service names the issuers and where the demo password is, and never the password', () => {
  const { app, issuer } = service
  const details = readyDetails({ app, demo: { issuer, password: 'made-up-one', passwordIn: 'data/demo_password' } })
  expect(details).toEqual({ schools: 1, issuers: [issuer], demo: { issuer, password_in: 'data/demo_password' } })
})

test('a failed start is text on a terminal, and one JSON line elsewhere', () => {
  const issues = [{ file: 'environment', key: 'PORT', expected: 'must be a port' }]
  expect(startFailure(new ConfigError(issues), { isTerminal: true })).toBe(
    'The configuration is invalid:\nenvironment  PORT  must be a port\n',
  )
  expect(startFailure(new Error('no disk'), { isTerminal: true })).toBe('Schoolgate cannot start: no disk\n')
  const line = startFailure(new ConfigError(issues), { isTerminal: false })
  expect(line).toMatch(/^[^\n]+\n$/)
  expect(JSON.parse(line)).toMatchObject({ level: 60, msg: 'cannot start', issues })
  expect(JSON.parse(startFailure(new Error('no disk'), { isTerminal: false }))).toMatchObject({ reason: 'no disk', msg: 'cannot start' })
})
