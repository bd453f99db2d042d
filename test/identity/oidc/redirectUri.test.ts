// Proves RFC 8252 section 8.3: The names of the loopback address are different hosts

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loopbackUriError } from '../../../src/base/net/loopbackUri.ts'

const hosts = ['127.0.0.1']

const accepted = [
  'http://127.0.0.1:8765/callback',
  'http://127.0.0.1/callback',
  'http://127.0.0.1/',
  'http://127.0.0.1:1/',
  'http://127.0.0.1:80/',
  'http://127.0.0.1:65535/x',
  'http://127.0.0.1:33418/',
  'http://127.0.0.1:19876/mcp/oauth/callback',
  'http://127.0.0.1:8765/callback?from=agent',
  'http://127.0.0.1:8765/a%20b',
  'http://127.0.0.1:8765/oauth/callback/debug',
]

const refused = [
  '',
  ' ',
  'http://127.0.0.1',
  'http://127.0.0.1:8765',
  'http://127.0.0.1:/callback',
  'http://127.0.0.1:0/callback',
  'http://127.0.0.1:00080/callback',
  'http://127.0.0.1:65536/callback',
  'http://127.0.0.1:99999/callback',
  'http://127.0.0.1:-1/callback',
  'http://127.0.0.1:8765x/callback',
  'http://127.0.0.1: 8765/callback',
  'https://127.0.0.1:8765/callback',
  'https://app.example.com/callback',
  'https://vscode.dev/redirect',
  'http://app.example.com/callback',
  'http://127.0.0.1.evil.example/callback',
  'http://127.0.0.1@evil.example/callback',
  'http://evil.example@127.0.0.1/callback',
  'http://user:pass@127.0.0.1:8765/callback',
  'http://user@127.0.0.1/callback',
  'http://@127.0.0.1/callback',
  'http://evil.example#@127.0.0.1/callback',
  'http://evil.example/?http://127.0.0.1/callback',
  'http://127.0.0.1:8765@evil.example/callback',
  'http://127.0.0.2:8765/callback',
  'http://127.1/callback',
  'http://127.0.1/callback',
  'http://0x7f.1/callback',
  'http://0x7f000001/callback',
  'http://0177.0.0.1/callback',
  'http://2130706433/callback',
  'http://0.0.0.0:8765/callback',
  'http://0/callback',
  'http://[::1]:8765/callback',
  'http://[::ffff:127.0.0.1]:8765/callback',
  'http://[0:0:0:0:0:0:0:1]/callback',
  'http://localhost:8765/callback',
  'http://localhost./callback',
  'http://LOCALHOST/callback',
  'http://localhost.evil.example/callback',
  'http://127.0.0.1./callback',
  'http://127。0。0。1/callback',
  'http://１２７.0.0.1/callback',
  'HTTP://127.0.0.1:8765/callback',
  'Http://127.0.0.1/callback',
  ' http://127.0.0.1:8765/callback',
  'http://127.0.0.1:8765/callback ',
  'http://127.0.0.1:8765/call back',
  'http://127.0.0.1:8765/callback\n',
  'http://127.0.0.1\t:8765/callback',
  'http://127.0.0.1:8765/\tcallback',
  'http://127.0.0.1:8765/callback#',
  'http://127.0.0.1:8765/callback#fragment',
  'http://127.0.0.1:8765/../callback',
  'http://127.0.0.1:8765/a/./b',
  'http://127.0.0.1:8765/%2e%2e/callback',
  'http://127.0.0.1:8765\\callback',
  'http:\\\\127.0.0.1\\callback',
  'http:/127.0.0.1/callback',
  'http:///127.0.0.1/callback',
  'http:127.0.0.1/callback',
  '//127.0.0.1/callback',
  '127.0.0.1:8765/callback',
  'http://127.0.0.1:8765/<script>',
  'http://127.0.0.1:8765/"',
  'http://127.0.0.1:8765/ünï',
  'http://127.0.0.1:8765/%',
  'http://127.0.0.1:8765/%zz',
  'http://127.0.0.1:8765/%e',
  'http://127.0.0.1:8765/%ff',
  'http://127.0.0.1:8765/callback?from=%',
  'http://127.0.0.1:8765/callback?code=x',
  'http://127.0.0.1:8765/callback?a=b&state=x',
  'http://127.0.0.1:8765/callback?iss=https://evil.example',
  'http://127.0.0.1:8765/callback?error',
  'http://127.0.0.1:8765/callback?%63ode=x',
  'http://127.0.0.1:8765/callback?error_description=x',
  'javascript:alert(1)',
  'javascript://127.0.0.1/%0aalert(1)',
  'data:text/html,hello',
  'file:///etc/passwd',
  'file://127.0.0.1/etc/passwd',
  'com.example.app:/callback',
  'cursor://anysphere.cursor/callback',
  'urn:ietf:wg:oauth:2.0:oob',
  'ftp://127.0.0.1/callback',
  'ws://127.0.0.1/callback',
  `http://127.0.0.1/${'a'.repeat(2100)}`,
]

describe("self-registered clients are sent to the person's own machine and nowhere else (RFC 8252 section 7.3)", () => {
  test.each(accepted)('takes %s', (uri) => {
    expect(loopbackUriError(uri, hosts)).toBeUndefined()
  })

  test.each(refused)('refuses %j', (uri) => {
    expect(loopbackUriError(uri, hosts)).toBeTypeOf('string')
  })

  test.each([undefined, null, 1, {}, [], ['http://127.0.0.1/x'], true])('rejects %j, which is not text', (uri) => {
    expect(loopbackUriError(uri, hosts)).toBe('is not a string')
  })

  test('takes further hosts only where the operator names them', () => {
    const more = ['127.0.0.1', '[::1]', 'localhost']
    for (const uri of ['http://localhost:8765/callback', 'http://[::1]:8765/callback', 'http://localhost/callback']) {
      expect(loopbackUriError(uri, more)).toBeUndefined()
      expect(loopbackUriError(uri, hosts)).toBeTypeOf('string')
    }
    expect(loopbackUriError('http://localhost.evil.example/callback', more)).toBeTypeOf('string')
  })

  test('every accepted URI is an http URL of 127.0.0.1 for a URL parser too, and is kept unchanged', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'http://',
        'https://',
        '127.0.0.1',
        '@',
        ':',
        '8765',
        '/',
        '\\',
        '#',
        '?',
        'localhost',
        '%2e',
        '..',
        '.evil.example',
        '[',
        ']',
        '\u0000',
        '\t',
        ' ',
      ),
      fc.string({ unit: 'binary', maxLength: 3 }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.boolean(), (pieces, prefixed) => {
        const uri = (prefixed ? 'http://127.0.0.1' : '') + pieces.join('')
        if (loopbackUriError(uri, hosts) !== undefined) return
        const url = new URL(uri)
        expect([url.protocol, url.hostname, url.username, url.password, url.hash]).toEqual(['http:', '127.0.0.1', '', '', ''])
        expect(uri.endsWith(url.pathname + url.search)).toBe(true)
      }),
      { numRuns: 5000 },
    )
  })
})
