/** The paths of the authorization server. Routes, metadata and documents read this table. */
export const endpoints = {
  authorization: { path: '/oauth/authorize', methods: ['GET', 'POST'] },
  token: { path: '/api/oauth/token', methods: ['POST'] },
  registration: { path: '/api/oauth/register', methods: ['POST'] },
  userinfo: { path: '/api/oauth/userinfo', methods: ['GET', 'POST'] },
  revocation: { path: '/api/oauth/revoke', methods: ['POST'] },
  introspection: { path: '/api/oauth/introspect', methods: ['POST'] },
  jwks: { path: '/api/oauth/jwks', methods: ['GET'] },
  end_session: { path: '/oauth/logout', methods: ['GET', 'POST'] },
} as const satisfies Record<string, { path: string; methods: readonly string[] }>

export type EndpointName = keyof typeof endpoints

/** Returns the name of an endpoint in the log, the metrics and the limits. */
export const operationOfEndpoint = (name: EndpointName): string => `oauth.${name}`

/** The path of the pages of an authorization; the interaction cookie is limited to it. */
export const interactionPath = '/oauth/interaction'

/** Removes the id of the authorization request from a path: it is the value of a cookie. */
export const withoutInteractionId = (path: string): string => path.replace(/^(\/oauth\/(?:interaction|authorize)\/)[^/]+/i, '$1[removed]')
