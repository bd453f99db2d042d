import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { destinationOf } from '../../src/pages/destination.ts'

describe('the destination of the response', () => {
  for (const [uri, source, kind, port] of [
    ['http://127.0.0.1:49152/cb', 'http://127.0.0.1:49152', 'this computer', '49152'],
    ['http://127.0.0.1/cb?x=1', 'http://127.0.0.1', 'this computer', '80'],
    ['http://localhost:1/cb', 'http://localhost:1', 'this computer', '1'],
    // A source expression cannot name an IPv6 address.
    ['http://[::1]:5000/cb', 'http:', 'this computer', '5000'],
    ['https://app.example.com/cb', 'https://app.example.com', 'host', '443'],
    ['https://127.0.0.1.evil.example/cb', 'https://127.0.0.1.evil.example', 'host', '443'],
    ["https://a;script-src'unsafe-inline'/", undefined, 'host', '443'],
    ['https://a,b/', undefined, 'host', '443'],
    ['cursor://anysphere.cursor-mcp/oauth/callback', 'cursor:', 'app', ''],
    ['com.example.app:/cb', 'com.example.app:', 'app', ''],
    ['file:///etc/passwd', undefined, 'unknown', ''],
    ['urn:ietf:wg:oauth:2.0:oob', undefined, 'unknown', ''],
    ['javascript:alert(1)', undefined, 'unknown', ''],
    ['data:text/html,x', undefined, 'unknown', ''],
    ['not a uri', undefined, 'unknown', ''],
    [undefined, undefined, 'unknown', ''],
  ] as const) {
    test(`${uri} is ${kind}`, () => {
      expect(destinationOf(uri)).toMatchObject({ source, kind, port })
    })
  }

  test('a name in other scripts is shown in its encoded form', () => {
    expect(destinationOf('https://сlaude.ai/cb').host).toMatch(/^xn--/)
  })

  test('no address ends a directive or a header', () => {
    const wild = fc
      .tuple(fc.constantFrom('http://', 'https://', 'http://127.0.0.1:', ''), fc.string({ unit: 'binary' }))
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.oneof(wild, fc.webUrl()), (uri) => {
        expect(destinationOf(uri).source ?? 'http:').toMatch(/^(https?:(\/\/[a-z0-9._-]+(:\d{1,5})?)?|[a-z][a-z0-9+.-]*:)$/)
      }),
    )
  })
})
