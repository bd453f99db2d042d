import { assert, property, string } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Problem, type ProblemCode, plainAscii, problems } from '../../src/base/problem.ts'

/** The characters of `error_description` (RFC 6749 section 5.2). */
const allowed = /^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/

test('a description stays within the characters of RFC 6749 section 5.2, whatever a caller sent', async () => {
  await assert(
    property(string({ unit: 'binary' }), (text) => {
      expect(plainAscii(text)).toMatch(allowed)
      expect(new Problem('invalid_request', { description: text }).description).toMatch(allowed)
    }),
  )
})

test('a description that is already plain is kept as it is', async () => {
  await assert(property(string({ unit: 'grapheme-ascii' }), (text) => allowed.test(text) === (plainAscii(text) === text)))
})

describe.each(Object.keys(problems) as ProblemCode[])('%s', (code) => {
  test('is a code, a status of failure and a sentence', () => {
    const problem = new Problem(code)
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
    expect(problem.status).toBeGreaterThanOrEqual(400)
    expect(problem.status).toBeLessThan(600)
    expect(problem.description).toBe(problems[code].description)
    expect(problem.description).toMatch(allowed)
    expect(problem.description).toMatch(/^[A-Z].*\.$/)
  })
})

test('a problem carries its cause for the log', () => {
  const cause = new Error('connection lost')
  expect(new Problem('temporarily_unavailable', { cause }).cause).toBe(cause)
})

test('a rejected request has no stack trace, a failure of the service has one, and later errors are not affected', () => {
  const { stackTraceLimit } = Error
  expect(new Problem('not_found').stack).not.toContain('problem.test.ts')
  expect(new Problem('server_error').stack).toContain('problem.test.ts')
  expect(Error.stackTraceLimit).toBe(stackTraceLimit)
  expect(new Error('later').stack).toContain('problem.test.ts')
})
