// Proves D22: A line of the log has at most 16 kB; of an error it has type, message, stack, code and causes, whatever libraries attach to it, and objects that fail when they are read do not fail the log

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createLog, type Log } from '../../src/base/log/log.ts'

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

test('a change of the level applies to the lines of requests too', () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  log.level = 'warn'
  // biome-ignore lint/suspicious/noExplicitAny: the members do not matter
  log.request({} as any)
  expect(lines).toEqual([])
  log.level = 'trace'
  // biome-ignore lint/suspicious/noExplicitAny: the members do not matter
  log.request({} as any)
  expect(lines).toHaveLength(1)
})

test('the code by which a library names an error is kept, and an authorization code is not', () => {
  const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
  expect(written((log) => log.error({ err: refused }, 'planted'))).toContain('ECONNREFUSED')
  const leaking = Object.assign(new Error('redeem'), { code: 'Vq3xhAagA8IixotzkJgi5Hkz3UPAzd4SbZ3Mghcua' })
  expect(written((log) => log.error({ err: leaking }, 'planted'))).not.toContain('Vq3x')
})

/** Members of an error that show whatever they contain, fail when they are read, or never end. */
const hostileMembers = fc.constantFrom<[what: string, add: (error: Error) => void]>(
  ['a buffer', (error) => Object.assign(error, { rawPacket: Buffer.from(planted) })],
  ['a buffer in an object', (error) => Object.assign(error, { response: { body: [Buffer.from(planted)] } })],
  ['a typed array', (error) => Object.assign(error, { bytes: new Uint16Array(Buffer.from(planted)) })],
  ['a map', (error) => Object.assign(error, { parameters: new Map([['x', planted]]) })],
  ['a text', (error) => Object.assign(error, { detail: planted })],
  ['a list', (error) => Object.assign(error, { args: [planted, { planted }] })],
  ['a cycle', (error) => Object.assign(error, { cause: error, self: error })],
  ['a getter that throws', (error) => Object.defineProperty(error, 'code', { enumerable: true, get: fail })],
  ['a message that throws', (error) => Object.defineProperty(error, 'message', { enumerable: true, get: fail })],
  ['a message that is an object', (error) => Object.defineProperty(error, 'message', { value: { toString: fail, toJSON: fail } })],
  ['a stack that throws', (error) => Object.defineProperty(error, 'stack', { get: fail })],
  ['a name that is an object', (error) => Object.defineProperty(error, 'name', { value: { toString: fail } })],
  ['a constructor that throws', (error) => Object.defineProperty(error, 'constructor', { get: fail })],
  ['toString', (error) => Object.assign(error, { toString: fail })],
  ['toJSON', (error) => Object.assign(error, { toJSON: () => ({ planted }) })],
  ['toJSON of a cause', (error) => Object.assign(error, { cause: { toJSON: () => planted } })],
  ['a cause that is a buffer', (error) => Object.assign(error, { cause: Buffer.from(planted) })],
  ['a cause that is a proxy', (error) => Object.assign(error, { cause: new Proxy(new Error('x'), { get: fail, getPrototypeOf: fail }) })],
  ['a prototype that fails', (error) => void Object.setPrototypeOf(error, new Proxy(Error.prototype, { get: fail, getPrototypeOf: fail }))],
  ['a huge message', (error) => Object.defineProperty(error, 'message', { value: `\0😀${'\u0001é'.repeat(2_000_000)}` })],
  ['a huge stack', (error) => Object.defineProperty(error, 'stack', { value: '\n    at x'.repeat(1_000_000) })],
  ['a huge code', (error) => Object.assign(error, { code: 'A'.repeat(1_000_000) })],
  ['many causes', (error) => chain(error, 1000)],
  ['members without end', (error) => Object.assign(error, { cause: endless() })],
  ['a header in its message', (error) => Object.defineProperty(error, 'message', { value: `refused: Authorization: Bearer ${planted}` })],
  ['an address in its message', (error) => Object.defineProperty(error, 'message', { value: `connect postgres://me:${planted}@db/x` })],
)
const fail = (): never => {
  throw new Error(planted)
}

function chain(error: Error, count: number): void {
  let last = error
  for (let index = 0; index < count; index += 1) last = last.cause = new Error(`cause ${index} ${'x'.repeat(100)}`)
}

/** An object whose members contain it. */
function endless(): object {
  const all: Record<string, unknown> = {}
  for (let index = 0; index < 100; index += 1) all[`member${index}`] = all
  return all
}

const isBoundedLine = (line: string): boolean =>
  Buffer.byteLength(line) <= 16_384 && line.endsWith('\n') && !line.slice(0, -1).includes('\n')

test('of an error a line contains its type, message, stack, code and causes, whatever else hangs on it, in at most 16 kB', () => {
  fc.assert(
    fc.property(
      fc.array(hostileMembers, { minLength: 1, maxLength: 4 }),
      fc.constantFrom('err', 'reason', 'at.reason', 'list'),
      (members, place) => {
        const error = new Error('failed')
        for (const [, add] of members) {
          try {
            add(error)
          } catch {
            // An earlier member has made the error fail when it is changed.
          }
        }
        const places = { err: { err: error }, reason: { reason: error }, 'at.reason': { at: { reason: error } }, list: { list: [error] } }
        for (const line of [written((log) => log.error(places[place], 'said')), written((log) => log.error(error, 'said'))]) {
          expect(line).not.toContain(planted)
          // The first bytes as a list and as an object of numbers.
          expect(line).not.toMatch(/80,76,65|"0":80/)
          expect(isBoundedLine(line)).toBe(true)
          expect(JSON.parse(line)).toMatchObject({ level: 50, msg: 'said' })
        }
        const { err } = JSON.parse(written((log) => log.error({ err: error }, 'said')))
        expect(['type', 'message', 'stack', 'code', 'cause']).toEqual(expect.arrayContaining(Object.keys(err)))
        expect(err.type).toBe('Error')
      },
    ),
    { numRuns: 200, examples: [[[['a buffer', (error) => Object.assign(error, { rawPacket: Buffer.from(planted) })]], 'err']] },
  )
})

test('any members give one line of at most 16 kB that is JSON, without bytes and without what objects say of themselves', () => {
  const hostile = fc.constantFrom<unknown>(
    Buffer.from(planted),
    new Map([[planted, planted]]),
    { toJSON: () => planted },
    { toJSON: fail },
    Object.defineProperty({}, 'x', { enumerable: true, get: fail }),
    new Proxy({}, { ownKeys: fail, get: fail, getPrototypeOf: fail }),
    endless(),
    'x'.repeat(100_000),
    '\u0001'.repeat(100_000),
    2n ** 100_000n,
    Symbol(planted),
    fail,
    new Date(Number.NaN),
    Number.NaN,
  )
  const value = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      hostile,
      fc.jsonValue(),
      fc.array(tie('value'), { maxLength: 5 }),
      fc.dictionary(fc.string(), tie('value'), { maxKeys: 5 }),
    ),
  })).value
  fc.assert(
    fc.property(fc.dictionary(fc.string({ maxLength: 20 }), value, { minKeys: 1, maxKeys: 20 }), fc.string(), (members, message) => {
      const line = written((log) => log.info(members, message))
      expect(isBoundedLine(line)).toBe(true)
      expect(JSON.parse(line)).toBeTypeOf('object')
      expect(line).not.toContain(planted)
    }),
    { numRuns: 300 },
  )
  expect(isBoundedLine(written((log) => log.info('\u0001'.repeat(100_000))))).toBe(true)
})

test('the exit code of a process is logged, and a code that somebody was sent is not', () => {
  expect(JSON.parse(written((log) => log.error({ worker: 1, code: 137, signal: null }, 'ended')))).toMatchObject({
    code: 137,
    signal: null,
  })
  expect(JSON.parse(written((log) => log.error({ worker: 1, code: null, signal: 'SIGKILL' }, 'ended')))).toMatchObject({ code: null })
  for (const code of ['SPRING25', '123456', 123456, { number: 1 }]) {
    expect(JSON.parse(written((log) => log.error({ code }, 'sent')))).toMatchObject({ code: '[removed]' })
  }
})
