import { decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { integration } from '../../../src/config/integration.ts'
import { readClientDocument } from '../../../src/identity/clients/clientDocument.ts'
import { type RegisteredMetadata, readMetadata } from '../../../src/identity/clients/registrationError.ts'
import { metadataOf } from '../../../src/identity/oidc/syncIntegrations.ts'
import { agentOf, personCalled } from '../../support/agent.ts'
import { startService, type TestService } from '../../support/service.ts'

/** A registration with every member that has an effect: a new member does not compile until it is here. */
const registered: Required<RegisteredMetadata> = {
  client_name: 'App',
  application_type: 'native',
  redirect_uris: ['http://127.0.0.1/callback'],
  post_logout_redirect_uris: ['http://127.0.0.1/signed-out'],
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code'],
  response_types: ['code'],
  id_token_signed_response_alg: 'ES256',
}

describe('an integration can have whatever a client can register itself', () => {
  const rules = { loopbackHosts: ['127.0.0.1'], maxRedirectUris: 5, docsUrl: 'https://school.example', issuer: 'https://school.example' }
  // The kind of the client follows from its redirect URIs, and code is the only response type.
  const { application_type: _kind, response_types: _responses, ...own } = registered

  test('each member is a key of the file, and is stored as the registration stores it', () => {
    expect(readMetadata(registered, rules)).toEqual({ metadata: registered })
    expect(Object.keys(own).filter((name) => !Object.hasOwn(integration.shape, name))).toEqual([])
    expect(metadataOf(integration.parse({ ...own, client_id: 'app' }))).toEqual({ ...registered, client_id: 'app' })
  })

  test('and so can a client with a metadata document', () => {
    const id = 'https://app.example.com/client.json'
    const documentRules = { ...rules, trustedHosts: ['app.example.com'], privateUseSchemes: [] }
    expect(readClientDocument(id, JSON.stringify({ ...registered, client_id: id }), documentRules)).toEqual({
      metadata: { ...registered, client_id: id },
    })
    const elsewhere = [
      ...registered.post_logout_redirect_uris,
      'https://app.example.com/bye',
      'https://evil.example/',
      'http://evil.example/',
    ]
    const read = readClientDocument(
      id,
      JSON.stringify({ ...registered, client_id: id, post_logout_redirect_uris: elsewhere }),
      documentRules,
    )
    expect(read).toMatchObject({ metadata: { post_logout_redirect_uris: elsewhere.slice(0, 2) } })
  })
})

describe('the members of an integration have an effect', () => {
  const redirectUri = 'https://app.example.com/callback'
  let service: TestService
  beforeAll(async () => {
    const own = { id_token_signed_response_alg: 'ES256', grant_types: ['authorization_code'] }
    const integrations = [{ client_id: 'web', client_name: 'Web', redirect_uris: [redirectUri], ...own }]
    service = await startService({ school: { integrations } })
    await service.addPerson({ email: 'ada@example.org' })
  })
  afterAll(() => service?.stop())

  test('its ID tokens have the algorithm, and it gets no refresh token without the grant type', async () => {
    const { body } = await agentOf(service.issuer, 'web', undefined, redirectUri).tokens(personCalled('ada@example.org'))
    expect(decodeProtectedHeader(body.id_token).alg).toBe('ES256')
    expect(body.refresh_token).toBeUndefined()
  })
})
