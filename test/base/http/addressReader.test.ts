import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { addressReader } from '../../../src/base/http/tenant.ts'

const addressOf = (forwarded: string | undefined, { trusted = ['loopback'], remoteAddress = '127.0.0.1' } = {}): string =>
  addressReader(trusted)({ headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress } } as unknown as IncomingMessage)

describe('the address of a caller behind a trusted proxy', () => {
  test.each([
    ['the one that the proxy reports', '203.0.113.7', '203.0.113.7'],
    ['the nearest that is not a trusted proxy', '198.51.100.1, 203.0.113.7, 127.0.0.1', '203.0.113.7'],
    ['an IPv6 address', '2001:db8::7', '2001:db8::7'],
    ['without the port that a gateway appends', '203.0.113.7:51234', '203.0.113.7'],
    ['without brackets', '[2001:db8::7]', '2001:db8::7'],
    ['without brackets and port', '[2001:db8::7]:443', '2001:db8::7'],
  ])('%s', (_what, forwarded, expected) => {
    expect(addressOf(forwarded)).toBe(expected)
  })

  test.each([
    'unknown',
    '_hidden',
    'a'.repeat(15_000),
    `fe80::1%${'a'.repeat(15_000)}`,
    '203.0.113.7:port',
    '203.0.113.256',
    '0xcb.0.113.7',
    '203.0.113.7, not an address',
    ',',
  ])('another text is not used: %s', (forwarded) => {
    expect(addressOf(forwarded)).toBe('127.0.0.1')
  })

  test('the header of a caller that is not a trusted proxy is ignored', () => {
    expect(addressOf('198.51.100.1', { remoteAddress: '203.0.113.9' })).toBe('203.0.113.9')
    expect(addressOf(undefined, { remoteAddress: '203.0.113.9' })).toBe('203.0.113.9')
  })
})
