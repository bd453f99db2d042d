import { type RedirectRules, redirectUrisError } from './redirectUrisError.ts'

/** The rules of self-service registration. */
export type RegistrationRules = RedirectRules

export interface RegistrationError {
  error: 'invalid_redirect_uri' | 'invalid_client_metadata'
  description: string
}

/** Metadata that self-registered clients may send (RFC 7591 section 2). Other members are dropped silently. */
export const acceptedMetadata = [
  'application_type',
  'client_name',
  'grant_types',
  'id_token_signed_response_alg',
  'post_logout_redirect_uris',
  'redirect_uris',
  'response_types',
  'scope',
  'token_endpoint_auth_method',
] as const

const maxNameLength = 200

/**
 * The registration policy: a pure function of the request. Self-registration is for clients that redirect to the person's machine. @returns
 * the first error, or undefined
 */
export function registrationError(metadata: Record<string, unknown>, rules: RegistrationRules): RegistrationError | undefined {
  return (
    redirectUrisRefusal('redirect_uris', metadata.redirect_uris, rules) ??
    (metadata.post_logout_redirect_uris === undefined
      ? undefined
      : redirectUrisRefusal('post_logout_redirect_uris', metadata.post_logout_redirect_uris, rules)) ??
    otherError(metadata)
  )
}

function redirectUrisRefusal(member: string, value: unknown, rules: RegistrationRules): RegistrationError | undefined {
  const description = redirectUrisError(member, value, rules)
  return description === undefined
    ? undefined
    : { error: member === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata', description }
}

function otherError(metadata: Record<string, unknown>): RegistrationError | undefined {
  const refuse = (description: string): RegistrationError => ({ error: 'invalid_client_metadata', description })
  const { client_name: name, application_type: type, token_endpoint_auth_method: method, response_types: responses } = metadata
  if (name !== undefined && (typeof name !== 'string' || name.length > maxNameLength)) {
    return refuse(`client_name must be text of at most ${maxNameLength} characters`)
  }
  if (typeof name === 'string' && (!name.isWellFormed() || name.includes('\0'))) return refuse('client_name must be valid Unicode text')
  if (type !== undefined && type !== 'native' && type !== 'web') return refuse('application_type must be native')
  if (method !== undefined && method !== 'none' && method !== 'client_secret_post') {
    return refuse('token_endpoint_auth_method must be none (public client) or client_secret_post (confidential client)')
  }
  if (responses !== undefined && !(Array.isArray(responses) && responses.length === 1 && responses[0] === 'code')) {
    return refuse('response_types must be [code]')
  }
  const grants = metadata.grant_types
  const known = (grant: unknown): boolean => grant === 'authorization_code' || grant === 'refresh_token'
  if (grants !== undefined && !(Array.isArray(grants) && grants.includes('authorization_code') && grants.every(known))) {
    return refuse('grant_types must contain authorization_code and may contain refresh_token')
  }
  if (metadata.scope !== undefined && typeof metadata.scope !== 'string') return refuse('scope must be text: names separated by spaces')
  const alg = metadata.id_token_signed_response_alg
  if (alg !== undefined && alg !== 'RS256' && alg !== 'ES256') return refuse('id_token_signed_response_alg must be RS256 or ES256')
  return undefined
}
