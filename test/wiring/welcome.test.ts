import { afterAll, beforeAll, expect, test } from 'vitest'
import { ConfigError } from '../../src/config/configErrors.ts'
import { startFailure } from '../../src/wiring/failureText.ts'
import { readyDetails, welcome } from '../../src/wiring/welcome.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

test('the welcome text shows a demo password that the service made, and only names the variable of one from the environment', () => {
  const { app, issuer } = service
  expect(welcome({ app, demo: { issuer, password: 'made-up-one', passwordIn: 'data/demo_password' } })).toContain('made-up-one')
  expect(welcome({ app, demo: { issuer, password: undefined, passwordIn: 'DEMO_PASSWORD' } })).toContain('the password in DEMO_PASSWORD')
})

test('the welcome text prints a first-token command that names the address, because the port may not be the default one', () => {
  const { app, issuer } = service
  expect(welcome({ app, demo: undefined })).toContain(`npm run first-token -- ${issuer}\n`)
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
