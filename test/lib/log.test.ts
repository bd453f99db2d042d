import { describe, expect, test } from 'vitest'
import { createLog, type Log } from '../../src/lib/log.ts'

const planted = 'PLANTED-7f3a'

const names = [
  'access_token',
  'refresh_token',
  'id_token',
  'id_token_hint',
  'token',
  'code',
  'code_verifier',
  'client_secret',
  'password',
  'authorization',
  'cookie',
  'set-cookie',
  'login_hint',
  'state',
  'secret',
]

function written(write: (log: Log) => void): string {
  const lines: string[] = []
  write(createLog('trace', { write: (line) => void lines.push(line) }))
  expect(lines).toHaveLength(1)
  return lines.join('')
}

describe.each(names)('%s never reaches a line', (name) => {
  const holder = { [name]: planted }

  test.each([
    ['at the top', holder],
    ['in a member', { request: holder }],
    ['among headers of a request', { request: { headers: holder } }],
    ['deep inside', { a: { b: { c: { d: { e: holder } } } } }],
    ['in a list', { list: [holder, { deep: [holder] }] }],
    ['spelt as a header', { headers: { [name.replace(/(^|[-_])\w/g, (email) => email.toUpperCase())]: planted } }],
    ['in capitals', { [name.toUpperCase()]: planted }],
    ['with an object as its value', { [name]: { value: planted } }],
  ])('%s', (_place, members) => {
    expect(written((log) => log.info(members, 'planted'))).not.toContain(planted)
  })
})

test('a secret that hangs on an error or on its cause never reaches a line', () => {
  const cause = Object.assign(new Error('refused'), { client_secret: planted })
  const error = Object.assign(new Error('failed', { cause }), { token: planted, response: { headers: { 'set-cookie': planted } } })
  expect(written((log) => log.error({ err: error }, 'planted'))).not.toContain(planted)
  expect(written((log) => log.error(error))).not.toContain(planted)
})

test('other values are logged, with the message of an error and of its cause', () => {
  const error = new Error('failed', { cause: new Error('connection lost') })
  const line = written((log) => log.error({ request_id: 'r1', err: error, list: [{ status: 500 }], at: { path: '/livez' } }, 'said'))
  expect(JSON.parse(line)).toMatchObject({ request_id: 'r1', list: [{ status: 500 }], at: { path: '/livez' }, msg: 'said' })
  expect(line).toContain('connection lost')
})

test('a line below the level is not written', () => {
  const lines: string[] = []
  createLog('warn', { write: (line) => void lines.push(line) }).info('quiet')
  expect(lines).toEqual([])
})

test('the code by which a library names an error is kept, and an authorization code is not', () => {
  const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
  expect(written((log) => log.error({ err: refused }, 'planted'))).toContain('ECONNREFUSED')
  const leaking = Object.assign(new Error('redeem'), { code: 'Vq3xhAagA8IixotzkJgi5Hkz3UPAzd4SbZ3Mghcua' })
  expect(written((log) => log.error({ err: leaking }, 'planted'))).not.toContain('Vq3x')
})
