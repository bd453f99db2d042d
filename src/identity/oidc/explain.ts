import { plainAscii } from '../../base/problem.ts'
import { disabledClientText } from './disabledClients.ts'
import { endpoints } from './endpoints.ts'

/** An error of the engine: the response for the client, and the detail for the operator. */
export interface Refusal {
  error: string
  error_description?: string | undefined
  detail?: string | undefined
  grantType?: string | null
  isDisabled?: boolean
  accessEndedAt?: Date | undefined
}

const again = (issuer: string): string => `Send the person through ${issuer}${endpoints.authorization.path} again.`

type Explanation = [error: string, detail: RegExp, text: (issuer: string) => string]

/**
 * Explanations of the engine's short errors, with the solution. They do not reveal whether a value exists: unknown, used, expired and
 * another client's values get the same text.
 */
const explanations: readonly Explanation[] = [
  [
    'invalid_grant',
    /^given at a former issuer/,
    (issuer) =>
      `The school has another address since this was issued: its issuer is ${issuer} now. Read its metadata, and start over there. ${again(issuer)}`,
  ],
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
    /with another effect/,
    () =>
      'The code or refresh_token was used a moment ago with another scope or resource. Use the refresh token of that response, or repeat that request.',
  ],
  [
    'invalid_grant',
    /code|authorization_code$/,
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
      'The client is registered with another token_endpoint_auth_method: public clients send client_id alone, confidential clients client_id and client_secret, integrations with private_key_jwt client_assertion and client_assertion_type.',
  ],
  ['invalid_client', /secret/, () => 'client_secret is wrong.'],
  [
    'invalid_client',
    /(?:)/,
    (issuer) =>
      `client_assertion is not valid. Sign each one with a key that the school knows, by RS256, PS256, ES256 or EdDSA: iss and sub are the client_id, aud is ${issuer}, jti is new, and exp is within an hour.`,
  ],
  [
    'invalid_target',
    /^$/,
    () => 'resource is not one that this authorization was given for. Leave it out, or name the one that the token is bound to.',
  ],
  ['unsupported_grant_type', /(?:)/, () => 'grant_type must be authorization_code or refresh_token.'],
]

/** Descriptions of the engine that name no solution. They have no detail. */
const descriptions: readonly [description: RegExp, text: (issuer: string, names: string) => string][] = [
  [/^no client authentication mechanism/, () => 'client_id is missing. Send it in the form body, and client_secret if the client has one.'],
  [
    /client authentication must only be provided|^client_id mismatch|client_assertion/,
    () =>
      'The client authenticates in more than one way, or in one that is not supported. Send client_id, with client_secret if the client has one; or client_assertion and client_assertion_type if it has a key.',
  ],
  [
    /^missing required parameters? .*'code'/,
    (issuer) =>
      `code is missing. It is in the redirect to your app. If the redirect has error instead, nothing was allowed: error_description says why. ${again(issuer)}`,
  ],
  [
    /^missing required parameters? 'redirect_uri'/,
    () => 'redirect_uri is missing. Send the redirect_uri of the authorization request: it is required here, with code_verifier, too.',
  ],
  [
    /^missing required parameters? (.*)$/,
    (issuer, names) => `Missing: ${names}. ${issuer}/auth.md shows each request with its parameters.`,
  ],
  [/must not be provided twice/, () => 'A parameter is repeated. Send each parameter once.'],
  [
    /^requested grant type is not allowed/,
    (issuer) =>
      `The client is not registered for this grant_type. Register it with grant_types authorization_code and refresh_token at ${issuer}${endpoints.registration.path}`,
  ],
  [
    /^refresh token missing requested scope|^scope contains invalid characters/,
    (issuer) => `scope names nothing that the person allowed. Leave scope out, or ask the person for what you need: ${again(issuer)}`,
  ],
]

/** Returns a description that names the cause and the solution, in the characters of RFC 6749 section 5.2. */
export function explain(
  { error, error_description: description, detail, grantType, isDisabled = false, accessEndedAt }: Refusal,
  issuer: string,
): { error: string; error_description: string } {
  if (isDisabled) return { error, error_description: plainAscii(disabledClientText(issuer)) }
  if (accessEndedAt && error === 'invalid_grant')
    return { error, error_description: `The person allowed access until ${accessEndedAt.toISOString()}; ask again. ${again(issuer)}` }
  // Some details do not say whether a code or a refresh token was sent.
  const reason = detail === 'client mismatch' ? `${detail} ${grantType}` : (detail ?? '')
  const found =
    explanations.find(([code, pattern]) => code === error && pattern.test(reason))?.[2] ??
    descriptions.find(([pattern]) => pattern.test(description ?? ''))?.[1]
  const [, names = ''] = / parameters? (.*)$/.exec(description ?? '') ?? []
  return { error, error_description: plainAscii(found?.(issuer, names.replaceAll("'", '')) ?? description ?? error) }
}
