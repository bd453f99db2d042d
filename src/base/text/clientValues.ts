/** The grant types and the algorithms of ID tokens that clients can have (RFC 7591 section 2, OpenID Connect Registration section 2). */
export const supportedGrants = ['authorization_code', 'refresh_token'] as const
export const supportedAlgorithms = ['RS256', 'ES256'] as const
