import { auth, type OAuthClientInformationFull, type OAuthTokens, withOAuth } from '@modelcontextprotocol/client'
import type { Adapter } from '../fourConsents.ts'
import { createMcpMemory, expectAuthorized } from './mcpMemory.ts'

/** Version 2 of the MCP SDK, with the API as the server. */
export const mcpClient: Adapter = ({ issuer: serverUrl }) => {
  const { saved, provider, client } = createMcpMemory<OAuthClientInformationFull, OAuthTokens>()
  const call = withOAuth(provider, serverUrl)(fetch)
  return Object.assign(client, {
    async begin(scope: string) {
      await auth(provider, { serverUrl, scope, forceReauthorization: true })
      return saved.address
    },
    async finish({ searchParams }: URL) {
      const [authorizationCode = '', iss = ''] = ['code', 'iss'].map((name) => searchParams.get(name) ?? '')
      await auth(provider, { serverUrl, authorizationCode, iss })
    },
    call: async (url: string) => (await call(url)).status,
    refresh: async () => expectAuthorized(await auth(provider, { serverUrl })),
  })
}
