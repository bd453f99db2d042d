/** A flow that a library has itself. The tests request the other flows without it. */
export type Flow = 'sign-in' | 'API call' | 'refresh' | 'step-up' | 'revocation' | 'token check' | 'sign-out'

/** A client library that the tests run with four consents: a row of the table in docs/integrate.md. */
export interface Library {
  id: string
  name: string
  flows: readonly Flow[]
  /** Settings without which it does not work, or works worse. Markdown. */
  settings: string
  /** The setting with which it works when its clock is two minutes off. Markdown. Absent if it needs none. */
  clock?: string
}

/** A library from npm, whose version is that of package.json, or of test/clients/package.json. */
export interface NodeLibrary extends Library {
  /** The name in package.json: an alias for the first version that works. */
  package: string
}

/** A library from a package of Debian 12. */
export interface DebianLibrary extends Library {
  package: string
  version: string
}

const all = ['sign-in', 'API call', 'refresh', 'step-up', 'revocation'] as const

export const nodeLibraries = [
  {
    id: 'openidClient',
    name: 'openid-client',
    package: 'openid-client',
    flows: [...all, 'sign-out'],
    settings: 'none: it registers itself',
  },
  {
    id: 'openidClient1',
    name: 'openid-client, first version',
    package: 'openid-client-1',
    flows: ['sign-in', 'refresh', 'step-up', 'revocation'],
    settings: 'none: it registers itself, with `token_endpoint_auth_method: "client_secret_post"`',
    clock: '`client.CLOCK_TOLERANCE = 120`',
  },
  {
    id: 'oauth4webapi',
    name: 'oauth4webapi',
    package: 'oauth4webapi',
    flows: all,
    settings: 'none: it registers itself',
  },
  {
    id: 'oauth4webapi1',
    name: 'oauth4webapi, first version',
    package: 'oauth4webapi-1',
    flows: all,
    settings: '`token_endpoint_auth_method: "client_secret_post"`; this version cannot register itself',
  },
  {
    id: 'mcpSdk',
    name: 'MCP SDK, version 1',
    package: '@modelcontextprotocol/sdk',
    flows: ['sign-in', 'API call', 'refresh', 'step-up'],
    settings: 'none: it registers itself. To ask for more, remove the tokens first',
  },
  {
    id: 'mcpSdk110',
    name: 'MCP SDK, first version with Streamable HTTP',
    package: 'mcp-sdk-1.10',
    flows: ['sign-in', 'refresh', 'step-up'],
    settings: 'none: it registers itself. Add `scope` to the URL in `redirectToAuthorization`; to ask for more, remove the tokens first',
  },
  {
    id: 'mcpClient',
    name: 'MCP SDK, version 2',
    package: '@modelcontextprotocol/client',
    flows: ['sign-in', 'API call', 'refresh', 'step-up'],
    settings: 'none: it registers itself. To ask for more, set `forceReauthorization`',
  },
  {
    id: 'simpleOauth2',
    name: 'simple-oauth2',
    package: 'simple-oauth2',
    flows: ['sign-in', 'refresh', 'step-up', 'revocation'],
    settings: '`options.authorizationMethod: "body"`; pass `code_challenge` and `code_verifier` yourself',
  },
  {
    id: 'oidcClientTs',
    name: 'oidc-client-ts',
    package: 'oidc-client-ts',
    flows: ['sign-in', 'refresh', 'step-up', 'revocation', 'sign-out'],
    settings:
      'an integration without a secret, with `post_logout_redirect_uri` among its addresses; if `cors` of `server.yaml` is limited, the origin of the page in it',
  },
  {
    id: 'oidcClientTs2',
    name: 'oidc-client-ts, first version',
    package: 'oidc-client-ts-2',
    flows: ['sign-in', 'refresh', 'step-up', 'revocation', 'sign-out'],
    settings: 'those of the newest version',
  },
  {
    id: 'passport',
    name: 'passport-openidconnect',
    package: 'passport-openidconnect',
    flows: ['sign-in', 'step-up'],
    settings: 'a subclass that adds PKCE, which the library does not send; `nonce`',
  },
  {
    id: 'passport01',
    name: 'passport-openidconnect, first version',
    package: 'passport-openidconnect-0.1',
    flows: ['sign-in', 'step-up'],
    settings: 'those of the newest version',
  },
  {
    id: 'passportOauth2',
    name: 'passport-oauth2',
    package: 'passport-oauth2',
    flows: ['sign-in', 'step-up'],
    settings: '`state: true`, `pkce: true`',
  },
  {
    id: 'passportOauth2First',
    name: 'passport-oauth2, first version',
    package: 'passport-oauth2-1.5',
    flows: ['sign-in', 'step-up'],
    settings: '`state: true`, `pkce: true`',
  },
  {
    id: 'expressOpenidConnect',
    name: 'express-openid-connect',
    package: 'express-openid-connect',
    flows: ['sign-in', 'refresh', 'step-up', 'sign-out'],
    settings:
      '`clientAuthMethod: "client_secret_post"`, `authorizationParams.response_type: "code"`; `idpLogout: true`, with `baseURL` as a `post_logout_redirect_uris`',
  },
  {
    id: 'expressOpenidConnect2',
    name: 'express-openid-connect, first version',
    package: 'express-openid-connect-2',
    flows: ['sign-in', 'refresh', 'step-up', 'sign-out'],
    settings: 'those of the newest version, without `clientAuthMethod`',
  },
  {
    id: 'authJs',
    name: 'Auth.js',
    package: '@auth/core',
    flows: ['sign-in', 'step-up'],
    settings: '`client.token_endpoint_auth_method: "client_secret_post"`, `checks: ["pkce", "state", "nonce"]`',
  },
  {
    id: 'authJs01',
    name: 'Auth.js, first version',
    package: 'auth-core-0.1',
    flows: ['sign-in', 'step-up'],
    settings: '`client.token_endpoint_auth_method: "client_secret_post"`, `checks: ["pkce", "state"]`, `profile`',
  },
  {
    id: 'arctic',
    name: 'arctic',
    package: 'arctic',
    flows: ['sign-in', 'refresh', 'step-up', 'revocation'],
    settings:
      'an integration without a secret, and `null` in its place: with a secret it sends HTTP Basic, which is refused; `createAuthorizationURLWithPKCE` with `S256`',
  },
  {
    id: 'clientOauth2',
    name: 'client-oauth2',
    package: 'client-oauth2',
    flows: ['sign-in', 'refresh', 'step-up'],
    settings:
      'without `clientSecret`, which it sends by HTTP Basic: pass `client_id` and `client_secret` in `body` to `getToken` and `refresh`, and `headers: { Authorization: "" }` to `refresh`; pass `code_challenge` and `code_verifier` yourself',
  },
] as const satisfies NodeLibrary[]

export const debianLibraries = [
  {
    id: 'authlib',
    name: 'Authlib',
    package: 'python3-authlib',
    version: '1.2.0',
    flows: all,
    settings: '`token_endpoint_auth_method` and `revocation_endpoint_auth_method`: `client_secret_post`; `code_challenge_method="S256"`',
  },
  {
    id: 'requestsOauthlib',
    name: 'requests-oauthlib',
    package: 'python3-requests-oauthlib',
    version: '1.3.0',
    flows: ['sign-in', 'API call', 'refresh', 'step-up'],
    settings:
      '`OAUTHLIB_RELAX_TOKEN_SCOPE=1` in the environment; `include_client_id=True` with `client_secret`; pass `code_challenge` and `code_verifier` yourself',
  },
  {
    id: 'modAuthOpenidc',
    name: 'mod_auth_openidc',
    package: 'libapache2-mod-auth-openidc',
    version: '2.4.12.3',
    flows: [...all, 'sign-out'],
    settings:
      '`OIDCProviderTokenEndpointAuth client_secret_post`, `OIDCPKCEMethod S256`; the address in `?logout=` as a `post_logout_redirect_uris`',
    clock: 'not tested',
  },
  {
    id: 'modOauth2',
    name: 'mod_oauth2',
    package: 'libapache2-mod-oauth2',
    version: '3.3.1',
    flows: ['token check'],
    settings:
      '`OAuth2TokenVerify introspect` with `introspect.auth=client_secret_post`, the credentials of the client, and `expiry` in seconds. `Require oauth2_claim` of this version compares whole values: check `scope` behind it',
    clock: 'not tested',
  },
] as const satisfies DebianLibrary[]
