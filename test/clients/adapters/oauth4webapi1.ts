import { createRequire } from 'node:module'
import type { Adapter, Tokens } from '../fourConsents.ts'

interface Client {
  client_id: string
  client_secret: string
  token_endpoint_auth_method: string
}
type Result = Tokens & { error?: string }
/** The functions of version 1 that this adapter calls. They return errors of the service. */
interface FirstLibrary {
  discoveryRequest(issuer: URL): Promise<Response>
  processDiscoveryResponse(issuer: URL, response: Response): Promise<{ authorization_endpoint: string }>
  generateRandomCodeVerifier(): string
  calculatePKCECodeChallenge(verifier: string): Promise<string>
  validateAuthResponse(server: object, client: Client, parameters: URL, state: string): object
  authorizationCodeGrantRequest(server: object, client: Client, parameters: object, uri: string, verifier: string): Promise<Response>
  processAuthorizationCodeOpenIDResponse(server: object, client: Client, response: Response, nonce: string): Promise<Result>
  refreshTokenGrantRequest(server: object, client: Client, token: string): Promise<Response>
  processRefreshTokenResponse(server: object, client: Client, response: Response): Promise<Result>
  revocationRequest(server: object, client: Client, token: string): Promise<Response>
  processRevocationResponse(response: Response): Promise<{ error: string } | undefined>
  protectedResourceRequest(token: string, method: string, url: URL, headers: Headers, body: null): Promise<Response>
}

const withoutError = <Value extends { error?: string } | undefined>(value: Value): Value => {
  if (value?.error !== undefined) throw new Error(value.error)
  return value
}

/** Version 1 of oauth4webapi, in a web service. */
export const oauth4webapi1: Adapter = async ({ issuer: base, clientId, clientSecret, redirectUri }) => {
  const oauth: FirstLibrary = createRequire(import.meta.url)('oauth4webapi-1')
  const issuer = new URL(base)
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer))
  const client = { client_id: clientId, client_secret: clientSecret, token_endpoint_auth_method: 'client_secret_post' }
  const verifier = oauth.generateRandomCodeVerifier()
  let tokens: Tokens
  return {
    credentials: { clientId, clientSecret, redirectUri },
    async begin(scope) {
      const proof = { code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' }
      const request = { client_id: clientId, redirect_uri: redirectUri, response_type: 'code', scope, state: 'a-state', nonce: 'a-nonce' }
      return `${server.authorization_endpoint}?${new URLSearchParams({ ...request, ...proof })}`
    },
    async finish(redirect) {
      const parameters = oauth.validateAuthResponse(server, client, redirect, 'a-state')
      const response = await oauth.authorizationCodeGrantRequest(server, client, parameters, redirectUri, verifier)
      tokens = withoutError(await oauth.processAuthorizationCodeOpenIDResponse(server, client, response, 'a-nonce'))
    },
    tokens: () => tokens,
    call: async (url) => (await oauth.protectedResourceRequest(tokens.access_token, 'GET', new URL(url), new Headers(), null)).status,
    async refresh() {
      const response = await oauth.refreshTokenGrantRequest(server, client, tokens.refresh_token)
      tokens = withoutError(await oauth.processRefreshTokenResponse(server, client, response))
    },
    async revoke() {
      withoutError(await oauth.processRevocationResponse(await oauth.revocationRequest(server, client, tokens.refresh_token)))
    },
  }
}
