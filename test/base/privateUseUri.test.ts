import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { privateUseScheme, privateUseUriError, schemeError } from '../../src/base/net/privateUseUri.ts'

const schemes = ['claude', 'cursor']

describe('redirect URIs with a private-use scheme (RFC 8252 section 7.1)', () => {
  test.each([
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'claude://claude.ai/mcp-auth-callback/sdk',
    'com.example.app:/oauth2redirect/example-provider',
    'com.example.app:/',
    'com.example.app://callback',
    'com.googleusercontent.apps.123-abc:/oauth2redirect',
  ])('%s is valid', (uri) => {
    expect(privateUseUriError(uri, schemes)).toBeUndefined()
  })

  test.each([
    ...['javascript:alert(1)', 'javascript:/x', 'javascript://claude.ai/%0aalert(1)', 'JavaScript:/x', 'javascript.x:/', 'java\tscript:/x'],
    ...['data:text/html,x', 'data:/x', 'vbscript:/x', 'file:///etc/passwd', 'file.example:/x', 'filesystem:/x', 'blob:/x', 'about:/blank'],
    ...['http:/x', 'https:/x', 'httpx:/x', 'https.example:/x', 'http+unix:/x', 'hxxp:/x', 'hxxps.example:/x', 'ws://x/y', 'ftp://x/y'],
    ...[
      'intent://scan/#Intent;end',
      'intent:/x',
      'view-source:/x',
      'chrome://settings/',
      'mailto:/x',
      'tel:/1',
      'urn:ietf:wg:oauth:2.0:oob',
    ],
    ...['ms-settings:/x', 'search-ms:/x', 'shell:/x', 'ssh://h/x', 'smb://h/x', 'ldap://h/x', 'jar:/x', 'git://h/x', 'itms-services:/x'],
    ...['zed://callback', 'x:/y', 'Cursor://a/b', 'CURSOR:/a', ' cursor://a/b', 'cursor://a/b ', 'cursor:', 'cursor://', 'cursor:callback'],
    ...['cursor://a/b#c', 'cursor://a/b#', 'cursor://user@a/b', 'cursor://a:b@c/d', 'cursor://a/*', 'cursor://a/../b', 'cursor://a/./b'],
    ...[
      'cursor://a/b\\c',
      'cursor://a/"',
      'cursor://a/<b>',
      'cursor://a/b c',
      'cursor://a/b\n',
      'cursor://ä/b',
      'cursor://a/ü',
      'cursor://A/b',
    ],
    ...[
      'cursor://a/b?code=x',
      'cursor://a/b?state=x',
      'cursor://a/b?iss=x',
      'cursor://a/%',
      'cursor://a/%zz',
      '',
      ':',
      '://',
      '1a:/b',
      '.com:/x',
    ],
    ...['com..app:/x', 'com.:/x', 'c.x:/y', '127.0.0.1:/x', 'localhost:/x'],
  ])('%j is not valid', (uri) => {
    expect(privateUseUriError(uri, schemes)).toBeTypeOf('string')
  })

  test('a scheme that an operator lists is checked like any other', () => {
    for (const scheme of ['javascript', 'data', 'file', 'http', 'https', 'httpss', 'ms-settings', 'Cursor', 'a b', '']) {
      expect(schemeError(scheme)).toBeTypeOf('string')
      expect(privateUseUriError(`${scheme}://a/b`, [scheme])).toBeTypeOf('string')
    }
    for (const scheme of ['cursor', 'claude', 'vscode', 'vscode-insiders', 'zed', 'com.example.app'])
      expect(schemeError(scheme)).toBeUndefined()
  })

  test('whatever is valid keeps its text and its scheme in a URL parser', () => {
    const piece = fc.oneof(
      fc.constantFrom('cursor:', 'com.example.app:', '//', '/', 'host', '@', '#', '?', '\\', '..', '%2e', ':', 'javascript:', ' ', '\t'),
      fc.string({ unit: 'binary', maxLength: 3 }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const uri = pieces.join('')
        if (privateUseUriError(uri, schemes) !== undefined) return
        const url = new URL(uri)
        expect([url.href, url.username, url.password, url.hash]).toEqual([uri, '', '', ''])
        expect(url.protocol).toBe(`${privateUseScheme(uri)}:`)
      }),
      { numRuns: 5000 },
    )
  })
})
