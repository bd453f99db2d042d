// Proves OpenID Connect Discovery section 3: Every condition of Config OP holds at an https issuer

import { beforeAll, describe, expect, test } from 'vitest'
import { get } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { rootSecret, startService } from '../support/service.ts'
import { configModules } from './publishedModules.ts'

/** The profile demands https. One school is served at every host, so its documents can be read here. */
const issuer = 'https://id.school.example'
const service = duringTests(() => startService({ school: { issuer }, variables: { SECRET_KEY: rootSecret } }))
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came
let metadata: any
let keys: Record<string, unknown>[]
let contentType: string | null
beforeAll(async () => {
  const read = (path: string) => get(`${service.issuer}${path}`)
  const document = await read('/.well-known/openid-configuration')
  metadata = document.body
  contentType = document.headers.get('content-type')
  keys = (await read(new URL(metadata.jwks_uri).pathname)).body.keys
})

const endpoints = (): [string, unknown][] => Object.entries(metadata).filter(([name]) => /_(?:endpoint|uri)$/.test(name))

/** The conditions of the module, by their published names (the prefix CheckDiscEndpoint is left out), with the clause. */
const conditions: Record<string, () => void> = {
  'ResponseTypesSupported (OpenID Connect Discovery section 3)': () => expect(metadata.response_types_supported).toEqual(['code']),
  'DiscoveryUrl and Issuer (OpenID Connect Discovery section 4.3)': () => expect(metadata.issuer).toBe(issuer),
  'IssuerIsValidUrl (RFC 8414 section 2)': () => {
    const { protocol, search, hash } = new URL(metadata.issuer)
    expect([protocol, search, hash]).toEqual(['https:', '', ''])
  },
  'ValidateServerMetadataAgainstSchema (OpenID Connect Discovery section 3)': () => {
    expect(contentType).toContain('application/json')
    for (const [name, value] of Object.entries(metadata)) {
      if (/_supported$/.test(name) && !/_parameter_supported$|_document_supported$/.test(name)) {
        expect([name, value]).toEqual([name, expect.arrayContaining([expect.any(String)])])
        expect([name, new Set(value as string[]).size]).toEqual([name, (value as string[]).length])
      } else if (/_supported$/.test(name)) expect([name, typeof value]).toEqual([name, 'boolean'])
      else if (/_endpoint$|_uri$/.test(name)) expect([name, URL.canParse(value as string)]).toEqual([name, true])
      expect([name, value]).not.toEqual([name, null])
    }
  },
  'SubjectTypesSupported (OpenID Connect Discovery section 3)': () => expect(metadata.subject_types_supported).toEqual(['public']),
  'IdTokenSigningAlgValuesSupported (OpenID Connect Discovery section 3)': () =>
    expect(metadata.id_token_signing_alg_values_supported).toContain('RS256'),
  'UserinfoSigningAlgValuesSupported (optional)': () => expect(metadata).not.toHaveProperty('userinfo_signing_alg_values_supported'),
  'AuthorizationEndpoint, TokenEndpoint, UserinfoEndpoint, RegistrationEndpoint': () => {
    for (const name of ['authorization', 'token', 'userinfo', 'registration'])
      expect(metadata[`${name}_endpoint`]).toMatch(new RegExp(`^${issuer}/`))
  },
  'CheckJwksUri and ValidateJwks (RFC 7517)': () => {
    expect(metadata.jwks_uri).toMatch(/^https:/)
    expect(keys.length).toBeGreaterThan(0)
    for (const key of keys) {
      expect(key).toMatchObject({
        kid: expect.any(String),
        use: 'sig',
        alg: expect.any(String),
        kty: expect.stringMatching(/^(?:RSA|EC)$/),
      })
      expect(Object.keys(key).filter((name) => ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'].includes(name))).toEqual([])
      if (key.kty === 'RSA') expect(Buffer.from(key.n as string, 'base64url').length * 8).toBeGreaterThanOrEqual(2048)
    }
    expect(new Set(keys.map(({ kid }) => kid)).size).toBe(keys.length)
  },
  'RequestParameterSupported and RequestUriParameterSupported (not offered)': () => {
    expect(metadata.request_parameter_supported ?? false).toBe(false)
    // The default of request_uri_parameter_supported is true.
    expect(metadata.request_uri_parameter_supported).toBe(false)
    expect(metadata).not.toHaveProperty('request_object_signing_alg_values_supported')
  },
  ClaimsParameterSupported: () => expect(metadata.claims_parameter_supported).toBe(true),
  ClaimsSupported: () => expect(metadata.claims_supported).toEqual(expect.arrayContaining(['sub', 'iss', 'auth_time', 'name', 'email'])),
  GrantTypesSupported: () => expect(metadata.grant_types_supported).toEqual(['authorization_code', 'refresh_token']),
  ScopesSupportedContainsOpenId: () => expect(metadata.scopes_supported).toContain('openid'),
  'ScopesSupportedSyntax (RFC 6749 section 3.3)': () => {
    for (const scope of metadata.scopes_supported) expect(scope).toMatch(/^[\x21\x23-\x5b\x5d-\x7e]+$/)
  },
  'LocalesSyntax and LocalesCanonicalCasing (RFC 5646)': () =>
    expect(metadata.ui_locales_supported).toEqual(Intl.getCanonicalLocales(metadata.ui_locales_supported)),
  AllEndpointsAreHttps: () => {
    expect(endpoints().length).toBeGreaterThan(6)
    for (const [name, url] of endpoints()) expect([name, url]).toEqual([name, expect.stringMatching(/^https:\/\//)])
  },
}

describe('Config OP', () => {
  test('the profile has one module', () => expect(configModules).toEqual(['oidcc-discovery-endpoint-verification']))

  describe('oidcc-discovery-endpoint-verification', () => {
    test.each(Object.keys(conditions))('%s', (name) => {
      conditions[name]?.()
      expect(expect.getState().assertionCalls).toBeGreaterThan(0)
    })
  })
})
