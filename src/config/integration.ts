import { z } from 'zod'
import { isWebUrl, maxUrlLength } from '../base/net/webUrl.ts'
import { supportedAlgorithms, supportedGrants } from '../base/text/clientValues.ts'
import { exampleKey, publicKeys } from './publicKeys.ts'
import { kindIssues, redirectUris } from './redirectUris.ts'
import { clientId, line, noRepeats } from './rules.ts'

const secretHash = z
  .string()
  .refine((text) => /^sha256:[A-Za-z0-9_-]{43}$/.test(text))
  .meta({
    title: 'sha256: and the SHA-256 of the secret in base64url without padding',
  })

const needsSecret = 'is missing: client_secret_post requires the hash of the secret'
const needsNoSecret = 'belongs to client_secret_post: remove it, or change token_endpoint_auth_method'
const needsKeys = 'is missing: private_key_jwt requires jwks or jwks_uri'
const needsNoKeys = 'belongs to private_key_jwt: remove it, or change token_endpoint_auth_method'
const needsOneSource = 'must not be set together with jwks: remove one of them'

interface Credentials {
  token_endpoint_auth_method: 'none' | 'client_secret_post' | 'private_key_jwt'
  jwks?: unknown
  jwks_uri?: string | undefined
  secret_hash?: string | undefined
  previous_secret_hash?: string | undefined
  previous_secret_until?: string | undefined
}

type Issue = { key: keyof Credentials; expected: string } | undefined

const credentialIssue = (given: Credentials): Issue => keyIssue(given) ?? secretIssue(given)

function keyIssue({ token_endpoint_auth_method: method, jwks, jwks_uri: address }: Credentials): Issue {
  if (method === 'private_key_jwt') {
    if (jwks === undefined && address === undefined) return { key: 'jwks', expected: needsKeys }
    return jwks !== undefined && address !== undefined ? { key: 'jwks_uri', expected: needsOneSource } : undefined
  }
  if (jwks !== undefined) return { key: 'jwks', expected: needsNoKeys }
  return address === undefined ? undefined : { key: 'jwks_uri', expected: needsNoKeys }
}

function secretIssue(given: Credentials): Issue {
  const { token_endpoint_auth_method: method, secret_hash: hash, previous_secret_hash: previous, previous_secret_until: until } = given
  if (method === 'client_secret_post' && hash === undefined) return { key: 'secret_hash', expected: needsSecret }
  if (method !== 'client_secret_post' && hash !== undefined) return { key: 'secret_hash', expected: needsNoSecret }
  if (previous !== undefined && hash === undefined) return { key: 'previous_secret_hash', expected: needsCurrent }
  if (previous !== undefined && until === undefined) return { key: 'previous_secret_until', expected: needsTime }
  if (previous === undefined && until !== undefined) return { key: 'previous_secret_hash', expected: needsPrevious }
  return undefined
}

const needsCurrent = 'must not be set without secret_hash, the hash of the current secret'
const needsPrevious = 'is missing: previous_secret_until is the time until which this secret is accepted'
const needsTime = 'is missing: previous_secret_hash needs a time until which it is accepted'

const jwksUri = z
  .string()
  .max(maxUrlLength)
  .refine((text) => text.startsWith('https://') && isWebUrl(text))
  .meta({ title: 'an https:// address' })

/** Schema of an integration: a client that an operator approved, with its redirect URIs. */
export const integration = z
  .strictObject({
    client_id: clientId.meta({ description: 'Id of the client.', examples: ['newsletter-sync'] }),
    client_name: line(80).meta({ description: 'Name on the consent page.', examples: ['Newsletter Sync'] }),
    redirect_uris: redirectUris.meta({
      description:
        'Redirect URIs, compared byte for byte: https:// addresses, loopback addresses (http://127.0.0.1, http://[::1] or http://localhost, of which the port may differ in a request), and addresses with a private-use scheme (RFC 8252 section 7.1). A scheme that is not a domain name in reverse order must be in private_use_schemes of oauth.yaml.',
      examples: [['https://sync.example.com/callback'], ['http://127.0.0.1:33418/', 'cursor://anysphere.cursor-mcp/oauth/callback']],
    }),
    post_logout_redirect_uris: redirectUris.optional().meta({
      description:
        'Addresses to which a sign-out may lead back (OpenID Connect RP-Initiated Logout), with the rules of redirect_uris. A sign-out that names another address ends on a page of the school.',
      examples: [['https://sync.example.com/signed-out']],
    }),
    enabled: z
      .boolean()
      .default(true)
      .meta({
        description:
          'false disables the integration and revokes its tokens. An integration that was disabled by the command clients disable stays disabled in both cases.',
        examples: [false],
      }),
    token_endpoint_auth_method: z
      .enum(['none', 'client_secret_post', 'private_key_jwt'])
      .default('none')
      .meta({
        description:
          'How the client authenticates: none (PKCE only), client_secret_post (a secret in the form body), or private_key_jwt (an assertion signed with its private key, RFC 7523).',
        examples: ['client_secret_post'],
      }),
    jwks: publicKeys.optional().meta({
      description:
        'Public keys of a client with private_key_jwt, as a JSON Web Key Set. For a rotation, list the new key next to the old one until the client signs with the new one. Assertions are signed with RS256, PS256, ES256 or EdDSA.',
      examples: [{ keys: [exampleKey] }],
    }),
    jwks_uri: jwksUri.optional().meta({
      description:
        'Address of the public keys, instead of jwks: the client rotates its keys there by itself. The service requests it when it verifies an assertion, at most once a minute, from public addresses only.',
      examples: ['https://sync.example.com/jwks.json'],
    }),
    grant_types: z
      .array(z.enum(supportedGrants))
      .superRefine(...noRepeats())
      .refine((grants) => grants.includes('authorization_code'))
      .optional()
      .meta({
        title: 'a list with authorization_code, and refresh_token if the client refreshes',
        description: 'Grant types of the client. Default: both. Without refresh_token it gets no refresh tokens.',
        examples: [['authorization_code']],
      }),
    id_token_signed_response_alg: z
      .enum(supportedAlgorithms)
      .optional()
      .meta({
        description: 'Algorithm of its ID tokens. Default: RS256.',
        examples: ['ES256'],
      }),
    secret_hash: secretHash.optional().meta({
      description:
        "Hash of the secret, for client_secret_post. Generate a secret and its hash: node -p \"s=crypto.randomBytes(32).toString('base64url'), s+' sha256:'+crypto.createHash('sha256').update(s).digest('base64url')\"",
      examples: ['sha256:47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU'],
      writeOnly: true,
    }),
    previous_secret_hash: secretHash.optional().meta({
      description:
        'Hash of the earlier secret during a rotation. It is accepted until previous_secret_until. The command integrations rotate-secret prints both keys.',
      examples: ['sha256:47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU'],
      writeOnly: true,
    }),
    previous_secret_until: z.iso
      .datetime()
      .optional()
      .meta({
        title: 'a time such as 2026-12-01T12:00:00Z',
        description: 'Time from which the earlier secret is no longer accepted.',
        examples: ['2026-12-01T12:00:00Z'],
      }),
  })
  .superRefine(
    (given, context) => {
      const issue = credentialIssue(given)
      if (issue) context.addIssue({ code: 'custom', path: [issue.key], params: { expected: issue.expected } })
    },
    { when: ({ value }) => Object(value) === value },
  )
  .superRefine((given, context) => {
    for (const { path, expected } of kindIssues(given)) context.addIssue({ code: 'custom', path, params: { expected } })
  })
