import { auth } from '@modelcontextprotocol/sdk/client/auth.js'
import { withOAuth } from '@modelcontextprotocol/sdk/client/middleware.js'
import type { OAuthClientInformationFull, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import type { Adapter } from '../fourConsents.ts'
import { createMcpMemory, expectAuthorized } from './mcpMemory.ts'

/** Version 1 of the MCP SDK, with the API as the server. */
export const mcpSdk: Adapter = ({ issuer: serverUrl }) => {
  const { saved, provider, client } = createMcpMemory<OAuthClientInformationFull, OAuthTokens>()
  const call = withOAuth(provider, serverUrl)(fetch)
  return Object.assign(client, {
    async begin(scope: string) {
      saved.tokens = undefined
      await auth(provider, { serverUrl, scope })
      return saved.address
    },
    async finish({ searchParams }: URL) {
      await auth(provider, { serverUrl, authorizationCode: searchParams.get('code') ?? '' })
    },
    call: async (url: string) => (await call(url)).status,
    refresh: async () => expectAuthorized(await auth(provider, { serverUrl })),
  })
}
