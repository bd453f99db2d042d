import { plainAscii } from '../lib/problem.ts'
import { endpoints } from './endpoints.ts'

/** A refusal as the engine made it: what the client is told, and the detail that it keeps for the operator. */
export interface Refusal {
  error: string
  error_description?: string | undefined
  detail?: string | undefined
}

const again = (issuer: string): string => `Send the person through ${issuer}${endpoints.authorization.path} again.`

type Explanation = [error: string, detail: RegExp, text: (issuer: string) => string]

/**
 * What the engine's short refusals mean, and the way out. Who presents a value that is not theirs learns nothing of it:
 * unknown, spent, expired and another client's read the same.
 */
const explanations: readonly Explanation[] = [
  [
    'invalid_grant',
    /PKCE|verifier|challenge/i,
    () =>
      'code_verifier is missing or does not match the code_challenge of the authorization request. Send the verifier that the challenge was made from.',
  ],
  [
    'invalid_grant',
    /redirect_uri mismatch/,
    () => 'redirect_uri is not the one of the authorization request. Send exactly the same text, port included.',
  ],
  [
    'invalid_grant',
    /code/,
    (issuer) =>
      `The authorization code is unknown, expired, spent or was issued to another client. A code is for one use, and for a short time. ${again(issuer)}`,
  ],
  [
    'invalid_grant',
    /./,
    (issuer) => `The refresh token is unknown, expired, revoked, spent or was issued to another client. ${again(issuer)}`,
  ],
  ['invalid_grant', /^$/, (issuer) => `The code or token is no longer good. ${again(issuer)}`],
  [
    'invalid_client',
    /not found/,
    (issuer) =>
      `No client with this client_id is registered here. Register again at ${issuer}${endpoints.registration.path} and forget the old client_id.`,
  ],
  [
    'invalid_client',
    /mechanism does not match/,
    () =>
      'The client is registered with another token_endpoint_auth_method: public clients send client_id alone, confidential clients client_id and client_secret.',
  ],
  ['invalid_client', /secret/, () => 'client_secret is wrong.'],
  [
    'invalid_target',
    /^$/,
    () => 'resource is not one that this authorization was given for. Leave it out, or name the one that the token is bound to.',
  ],
  ['unsupported_grant_type', /(?:)/, () => 'grant_type must be authorization_code or refresh_token.'],
]

/** The refusal in words that name the cause and the way out, within the characters of RFC 6749 section 5.2. */
export function explain(
  { error, error_description: description, detail }: Refusal,
  issuer: string,
): { error: string; error_description: string } {
  const found = explanations.find(([code, pattern]) => code === error && pattern.test(detail ?? ''))
  return { error, error_description: plainAscii(found?.[2](issuer) ?? description ?? error) }
}
