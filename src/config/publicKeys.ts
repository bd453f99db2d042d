import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { z } from 'zod'

const minRsaBits = 2048
/** Members of private and symmetric keys (RFC 7518 sections 6.2.2, 6.3.2 and 6.4). */
const secretMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

function publicKeyOf(jwk: JsonWebKey): KeyObject | undefined {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' })
  } catch {
    return undefined
  }
}

function keyIssue(jwk: JsonWebKey): string | undefined {
  if (secretMembers.some((name) => Object.hasOwn(jwk, name))) return 'is a private key: write the public one, and replace this key pair'
  const key = publicKeyOf(jwk)
  if (key === undefined) return 'must be a public key in JWK format, of type RSA, EC or OKP'
  const { modulusLength = minRsaBits } = key.asymmetricKeyDetails ?? {}
  return modulusLength < minRsaBits ? `must have at least ${minRsaBits} bits` : undefined
}

/** The public key of RFC 8037 appendix A.2. */
export const exampleKey = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', kid: '2026-11' }

/** Schema of a JSON Web Key Set with public keys (RFC 7517 section 5). */
export const publicKeys = z
  .strictObject({
    keys: z
      .array(
        z
          .looseObject({
            kty: z.enum(['RSA', 'EC', 'OKP']).meta({ description: 'Type of the key.', examples: ['OKP'] }),
            kid: z
              .string()
              .max(200)
              .optional()
              .meta({ description: 'Id of the key, as assertions name it.', examples: ['2026-11'] }),
          })
          .superRefine((jwk, context) => {
            const expected = keyIssue(jwk)
            if (expected !== undefined) context.addIssue({ code: 'custom', params: { expected } })
          }),
      )
      .min(1)
      .max(10)
      .meta({ description: 'The public keys, with the members of their type (RFC 7518 section 6).', examples: [[exampleKey]] }),
  })
  .meta({ title: 'a JSON Web Key Set with public keys' })
