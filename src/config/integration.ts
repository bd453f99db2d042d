import { z } from 'zod'
import { redirectUris } from './redirectUris.ts'
import { clientId, line } from './rules.ts'

const secretHash = z
  .string()
  .refine((text) => /^sha256:[A-Za-z0-9_-]{43}$/.test(text))
  .meta({
    title: 'sha256: and the SHA-256 of the secret in base64url without padding',
  })

const needsSecret = 'is missing: client_secret_post requires the hash of the secret'
const needsNoSecret = 'must not be set for a client with token_endpoint_auth_method none: remove it, or use client_secret_post'

interface Secrets {
  token_endpoint_auth_method: 'none' | 'client_secret_post'
  secret_hash?: string | undefined
  previous_secret_hash?: string | undefined
  previous_secret_until?: string | undefined
}

/** Returns the first secret that is missing or not allowed, and the rule. */
function secretIssue(given: Secrets): { key: keyof Secrets; expected: string } | undefined {
  const { token_endpoint_auth_method: method, secret_hash: hash, previous_secret_hash: previous, previous_secret_until: until } = given
  if (method === 'client_secret_post' && hash === undefined) return { key: 'secret_hash', expected: needsSecret }
  if (method === 'none' && hash !== undefined) return { key: 'secret_hash', expected: needsNoSecret }
  if (previous !== undefined && hash === undefined) return { key: 'previous_secret_hash', expected: needsCurrent }
  if (previous !== undefined && until === undefined) return { key: 'previous_secret_until', expected: needsTime }
  if (previous === undefined && until !== undefined) return { key: 'previous_secret_hash', expected: needsPrevious }
  return undefined
}

const needsCurrent = 'must not be set without secret_hash, the hash of the current secret'
const needsPrevious = 'is missing: previous_secret_until is the time until which this secret is accepted'
const needsTime = 'is missing: previous_secret_hash needs a time until which it is accepted'

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
    enabled: z
      .boolean()
      .default(true)
      .meta({
        description:
          'false disables the integration and revokes its tokens. An integration that was disabled by the command clients disable stays disabled in both cases.',
        examples: [false],
      }),
    token_endpoint_auth_method: z
      .enum(['none', 'client_secret_post'])
      .default('none')
      .meta({
        description: 'How the client authenticates: none (PKCE only), or a secret in the form body.',
        examples: ['client_secret_post'],
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
      const issue = secretIssue(given)
      if (issue) context.addIssue({ code: 'custom', path: [issue.key], params: { expected: issue.expected } })
    },
    { when: ({ value }) => Object(value) === value },
  )
