import { loopbackRedirectUri } from './loopback.ts'

interface SavedTokens {
  access_token: string
  refresh_token?: string | undefined
  scope?: string | undefined
}

/** Returns what both versions of the MCP SDK ask of a provider, kept in memory. */
export function createMcpMemory<Client extends { client_id: string }, Tokens extends SavedTokens>() {
  const saved: { client?: Client | undefined; tokens?: Tokens | undefined; verifier: string; address: string } = {
    verifier: '',
    address: '',
  }
  const provider = {
    redirectUrl: loopbackRedirectUri,
    clientMetadata: {
      client_name: 'MCP client',
      redirect_uris: [loopbackRedirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => saved.client,
    saveClientInformation: (client: Client) => void Object.assign(saved, { client }),
    tokens: () => saved.tokens,
    saveTokens: (tokens: Tokens) => void Object.assign(saved, { tokens }),
    redirectToAuthorization: ({ href }: URL) => void Object.assign(saved, { address: href }),
    saveCodeVerifier: (verifier: string) => void Object.assign(saved, { verifier }),
    codeVerifier: () => saved.verifier,
    invalidateCredentials: () => void Object.assign(saved, { tokens: undefined }),
  }
  const client = {
    get credentials() {
      return { clientId: saved.client?.client_id ?? '', redirectUri: loopbackRedirectUri }
    },
    tokens: () => ({
      access_token: saved.tokens?.access_token ?? '',
      refresh_token: saved.tokens?.refresh_token ?? '',
      scope: saved.tokens?.scope,
    }),
  }
  return { saved, provider, client }
}

/** Checks the result of `auth`. The SDK starts again with the person when the service refuses its refresh token. */
export function expectAuthorized(result: 'AUTHORIZED' | 'REDIRECT'): void {
  if (result !== 'AUTHORIZED') throw new Error('the SDK asks the person again, as after invalid_grant')
}
