import { auth } from 'mcp-sdk-1.10/client/auth.js'
import type { OAuthClientInformationFull, OAuthTokens } from 'mcp-sdk-1.10/shared/auth.js'
import type { Adapter } from '../fourConsents.ts'
import { createMcpMemory, expectAuthorized } from './mcpMemory.ts'

/** The first MCP SDK with Streamable HTTP, with the API as the server. The program adds the scope, which the SDK does not send. */
export const mcpSdk110: Adapter = ({ issuer: serverUrl }) => {
  const { saved, provider, client } = createMcpMemory<OAuthClientInformationFull, OAuthTokens>()
  return Object.assign(client, {
    async begin(scope: string) {
      saved.tokens = undefined
      await auth(provider, { serverUrl })
      return `${saved.address}&${new URLSearchParams({ scope })}`
    },
    async finish({ searchParams }: URL) {
      await auth(provider, { serverUrl, authorizationCode: searchParams.get('code') ?? '' })
    },
    refresh: async () => expectAuthorized(await auth(provider, { serverUrl })),
  })
}
