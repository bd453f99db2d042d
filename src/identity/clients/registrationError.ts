import { presentMembers, type SupportedMetadata, supportedMetadata } from './clientMetadata.ts'
import { type RedirectRules, redirectUrisError } from './redirectUrisError.ts'

export type RegistrationRules = RedirectRules

export interface RegistrationError {
  error: 'invalid_redirect_uri' | 'invalid_client_metadata'
  description: string
}

/** The metadata of a self-registered client, narrowed to what the service supports. */
export interface RegisteredMetadata extends SupportedMetadata {
  application_type: 'native'
  redirect_uris: string[]
  post_logout_redirect_uris?: string[]
  token_endpoint_auth_method: 'none' | 'client_secret_post'
}

/**
 * The registration policy: a pure function of the request. Self-registration is for clients that redirect to the person's machine. Members
 * that the service does not support are left out, and the response shows what applies (RFC 7591 section 3.2.1). @returns the metadata to
 * register, or the first error
 */
export function readMetadata(
  sent: Readonly<Record<string, unknown>>,
  rules: RegistrationRules,
): { metadata: RegisteredMetadata } | RegistrationError {
  const present = presentMembers(sent)
  const wrong = redirectUrisError('redirect_uris', present.redirect_uris, rules)
  if (wrong) return { error: 'invalid_redirect_uri', description: wrong }
  const refuse = (description: string): RegistrationError => ({ error: 'invalid_client_metadata', description })
  const { post_logout_redirect_uris: signOutUris, token_endpoint_auth_method: method = 'none' } = present
  const wrongSignOut = signOutUris === undefined ? undefined : redirectUrisError('post_logout_redirect_uris', signOutUris, rules)
  if (wrongSignOut) return refuse(wrongSignOut)
  // Another method is not narrowed: a client that authenticates in another way than it registered fails only at the token endpoint.
  if (method !== 'none' && method !== 'client_secret_post')
    return refuse('token_endpoint_auth_method must be none (public client) or client_secret_post (confidential client)')
  const supported = supportedMetadata(present)
  if ('problem' in supported) return refuse(supported.problem)
  return {
    metadata: {
      ...supported.metadata,
      application_type: 'native',
      redirect_uris: textsOf(present.redirect_uris),
      ...(signOutUris !== undefined && { post_logout_redirect_uris: textsOf(signOutUris) }),
      token_endpoint_auth_method: method,
    },
  }
}

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [])

/** Returns the error of a registration request, or undefined if `readMetadata` accepts it. */
export function registrationError(sent: Readonly<Record<string, unknown>>, rules: RegistrationRules): RegistrationError | undefined {
  const result = readMetadata(sent, rules)
  return 'error' in result ? result : undefined
}
