import { z } from 'zod'
import { fixedCallback } from './address.ts'
import { clientId, line, noRepeats } from './rules.ts'

const secretHash = z
  .string()
  .refine((text) => /^sha256:[A-Za-z0-9_-]{43}$/.test(text))
  .meta({
    title: 'sha256: and the SHA-256 of the secret in base64url without padding',
  })

const needsSecret = 'is missing: client_secret_post needs the hash of the secret'
const needsNoSecret = 'must not be there: a client with token_endpoint_auth_method none has no secret'

/** A client with fixed HTTPS callbacks, which an operator has agreed to. */
export const integration = z
  .strictObject({
    client_id: clientId.meta({ description: 'The id that the integration was given.', examples: ['newsletter-sync'] }),
    client_name: line(80).meta({ description: 'Name that people see when they are asked for consent.', examples: ['Newsletter Sync'] }),
    redirect_uris: z
      .array(fixedCallback)
      .min(1)
      .max(20)
      .superRefine(...noRepeats())
      .meta({ description: 'Its callbacks, compared byte for byte.', examples: [['https://sync.example.com/callback']] }),
    enabled: z
      .boolean()
      .default(true)
      .meta({
        description: 'false disables it and ends its tokens. An integration that clients disable has disabled stays so either way.',
        examples: [false],
      }),
    token_endpoint_auth_method: z
      .enum(['none', 'client_secret_post'])
      .default('none')
      .meta({
        description: 'How it proves who it is: not at all beyond PKCE, or with a secret in the form body.',
        examples: ['client_secret_post'],
      }),
    secret_hash: secretHash.optional().meta({
      description:
        "Hash of its secret, for client_secret_post. Make a secret and its hash: node -p \"s=crypto.randomBytes(32).toString('base64url'), s+' sha256:'+crypto.createHash('sha256').update(s).digest('base64url')\"",
      examples: ['sha256:47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU'],
      writeOnly: true,
    }),
  })
  .superRefine(
    ({ token_endpoint_auth_method: method, secret_hash: hash }, context) => {
      const expected =
        method === 'client_secret_post' && hash === undefined
          ? needsSecret
          : method === 'none' && hash !== undefined
            ? needsNoSecret
            : undefined
      if (expected) context.addIssue({ code: 'custom', path: ['secret_hash'], params: { expected } })
    },
    { when: ({ value }) => Object(value) === value },
  )
