import { describe, expect, test } from 'vitest'
import {
  type DocumentRules,
  isUsableRedirect,
  readClientDocument,
  untrustedDocumentReason,
} from '../../src/identity/clients/clientDocument.ts'

const id = 'https://app.example.com/client.json'
const rules: DocumentRules = {
  trustedHosts: ['app.example.com', 'login.example.com'],
  loopbackHosts: ['127.0.0.1'],
  maxRedirectUris: 5,
  privateUseSchemes: ['cursor'],
}
const document = { client_id: id, client_name: 'Example', redirect_uris: ['http://127.0.0.1/callback', 'https://app.example.com/cb'] }
const read = (change: object = {}, changedRules: Partial<DocumentRules> = {}) =>
  readClientDocument(id, JSON.stringify({ ...document, ...change }), { ...rules, ...changedRules })

describe('the URL of a client ID metadata document (draft-ietf-oauth-client-id-metadata-document section 3)', () => {
  const any = { trustedHosts: 'any' } as const

  test.each(['https://app.example.com/client.json', 'https://app.example.com/', 'https://xn--mnchen-3ya.example/a/b'])(
    '%s is accepted',
    (url) => {
      expect(untrustedDocumentReason(url, any)).toBeUndefined()
    },
  )

  test.each([
    ...[
      'http://app.example.com/c',
      'HTTPS://app.example.com/c',
      'https:/app.example.com/c',
      'https:app.example.com/c',
      'ftp://app.example.com/c',
    ],
    ...['https://app.example.com', 'https://app.example.com?x', 'https://app.example.com#x', 'https:///c', 'https://', 'https:'],
    ...['https://app.example.com/c#', 'https://app.example.com/c#x', 'https://app.example.com/c?x=1', 'https://app.example.com/c?'],
    ...[
      'https://user@app.example.com/c',
      'https://user:secret@app.example.com/c',
      'https://@app.example.com/c',
      'https://:@app.example.com/c',
    ],
    ...[
      'https://app.example.com/a/../c',
      'https://app.example.com/./c',
      'https://app.example.com/%2e%2e/c',
      'https://app.example.com/a/%2E/c',
    ],
    ...['https://APP.example.com/c', 'https://app.example.com:443/c', 'https://app.example.com:8443/c', 'https://app.example.com./c'],
    ...[
      'https://127.0.0.1/c',
      'https://2130706433/c',
      'https://0x7f.1/c',
      'https://[::1]/c',
      'https://[2606:2800::1]/c',
      'https://93.184.215.14/c',
    ],
    ...[
      'https://localhost/c',
      'https://intranet/c',
      'https://münchen.example/c',
      'https://app.example.com/ü',
      'https://app.example.com\\c',
    ],
    ...[
      ' https://app.example.com/c',
      'https://app.example.com/c ',
      'https://app.example.com/c\n',
      'https://app.example\t.com/c',
      'https://app.example.com/"',
    ],
    `https://app.example.com/${'c'.repeat(2048)}`,
  ])('%j is rejected', (url) => {
    expect(untrustedDocumentReason(url, any)).toBeTypeOf('string')
  })

  test('a list of hosts accepts exactly these, with their port', () => {
    const listed = { trustedHosts: ['app.example.com', 'dev.example.com:8443'] }
    for (const url of ['https://app.example.com/c', 'https://dev.example.com:8443/c'])
      expect(untrustedDocumentReason(url, listed)).toBeUndefined()
    for (const url of [
      'https://example.com/c',
      'https://evil.app.example.com/c',
      'https://app.example.com.evil.example/c',
      'https://app.example.com:8443/c',
      'https://dev.example.com/c',
    ])
      expect(untrustedDocumentReason(url, listed)).toContain('does not accept documents of')
  })
})

describe('a client ID metadata document', () => {
  test('becomes a public native client with the redirect URIs that the operator allows, and nothing else', () => {
    const more = {
      ...{ client_uri: 'https://app.example.com', logo_uri: 'https://169.254.169.254/', jwks_uri: 'https://10.0.0.1/', scope: 'openid' },
      ...{
        sector_identifier_uri: 'https://10.0.0.1/',
        token_endpoint_auth_method: 'none',
        post_logout_redirect_uris: ['https://evil.example/'],
      },
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code', 'token'],
      application_type: 'web',
      __proto__: { polluted: true },
    }
    expect(read(more)).toEqual({
      metadata: {
        client_id: id,
        client_name: 'Example',
        application_type: 'native',
        redirect_uris: document.redirect_uris,
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      },
    })
  })

  test('may prefer another authentication method if it also supports none', () => {
    const methods = { token_endpoint_auth_method: 'private_key_jwt', token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'] }
    expect(read(methods)).toMatchObject({ metadata: { token_endpoint_auth_method: 'none' } })
  })

  test('may have a name of 200 characters', () => {
    const client_name = 'n'.repeat(200)
    expect(read({ client_name })).toMatchObject({ metadata: { client_name } })
  })

  test.each<[string, object, RegExp]>([
    ['another client_id', { client_id: 'https://app.example.com/other.json' }, /must have this address as its client_id/],
    ['a client_id in another spelling', { client_id: 'https://app.example.com:443/client.json' }, /must have this address/],
    ['no client_id', { client_id: undefined }, /must have this address/],
    ['a secret', { client_secret: 'x' }, /must not contain a client secret/],
    ['the expiry of a secret', { client_secret_expires_at: 0 }, /must not contain a client secret/],
    ['client_secret_post', { token_endpoint_auth_method: 'client_secret_post' }, /must allow token_endpoint_auth_method none/],
    ['client_secret_basic', { token_endpoint_auth_method: 'client_secret_basic' }, /none/],
    ['private_key_jwt alone', { token_endpoint_auth_method: 'private_key_jwt' }, /none/],
    ['no supported method', { token_endpoint_auth_methods_supported: [] }, /none/],
    ['a name that is not text', { client_name: { toString: 1 } }, /client_name/],
    ['a name of 201 characters', { client_name: 'n'.repeat(201) }, /client_name/],
    ['a name with a null character', { client_name: 'a\0b' }, /client_name/],
    ['grants without codes', { grant_types: ['client_credentials'] }, /authorization_code/],
    ['grants that are not a list', { grant_types: 'authorization_code' }, /authorization_code/],
    ['responses without code', { response_types: ['token'] }, /code/],
    ['no redirect URI', { redirect_uris: [] }, /redirect_uris/],
    ['redirect URIs that are not a list', { redirect_uris: 'http://127.0.0.1/cb' }, /redirect_uris/],
    ['redirect URIs that are not text', { redirect_uris: [1] }, /redirect_uris/],
    ['too many redirect URIs', { redirect_uris: Array.from({ length: 6 }, (_, at) => `http://127.0.0.1/${at}`) }, /redirect_uris/],
    ['redirect URIs elsewhere', { redirect_uris: ['https://evil.example/cb'] }, /accepts none of the redirect_uris/],
  ])('with %s is rejected', (_what, change, text) => {
    expect(read(change)).toMatchObject({ description: expect.stringMatching(text) })
  })

  test.each(['', 'null', '[]', '7', '"x"', '{', '{"client_id":', `${'['.repeat(5000)}`, '<!doctype html>'])(
    '%j is not a document',
    (text) => {
      expect(readClientDocument(id, text, rules)).toMatchObject({
        error: 'invalid_client',
        description: expect.stringContaining('is not a JSON object'),
      })
    },
  )
})

describe('redirect URIs of a document', () => {
  const usable = (uri: string, change: Partial<DocumentRules> = {}) => isUsableRedirect(uri, id, { ...rules, ...change })

  test('are loopback addresses of the hosts that self-registration accepts', () => {
    expect(usable('http://127.0.0.1/callback')).toBe(true)
    expect(usable('http://localhost/callback')).toBe(false)
    expect(usable('http://localhost/callback', { loopbackHosts: ['127.0.0.1', 'localhost'] })).toBe(true)
  })

  test('are https addresses at the origin of the document or of a trusted host', () => {
    for (const uri of ['https://app.example.com/cb', 'https://login.example.com/cb']) expect(usable(uri)).toBe(true)
    for (const uri of [
      ...[
        'https://evil.example/cb',
        'https://app.example.com.evil.example/cb',
        'https://app.example.com@evil.example/cb',
        'https://app.example.com:8443/cb',
      ],
      ...[
        'https://app.example.com/cb#x',
        'https://app.example.com/*',
        'https://app.example.com/cb?code=x',
        'HTTPS://app.example.com/cb',
        'https://127.0.0.1/cb',
      ],
    ])
      expect(usable(uri), uri).toBe(false)
    expect(usable('https://login.example.com/cb', { trustedHosts: 'any' })).toBe(false)
    expect(usable('https://app.example.com/cb', { trustedHosts: 'any' })).toBe(true)
  })

  test('have a private-use scheme only if the operator lists the scheme and trusts the host', () => {
    expect(usable('cursor://anysphere.cursor-mcp/cb')).toBe(true)
    for (const uri of [
      'zed://a/cb',
      'com.example.app:/cb',
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'http://app.example.com/cb',
    ])
      expect(usable(uri), uri).toBe(false)
    expect(usable('cursor://anysphere.cursor-mcp/cb', { trustedHosts: 'any' })).toBe(false)
    expect(usable('javascript:alert(1)', { privateUseSchemes: ['javascript'] })).toBe(false)
  })
})
