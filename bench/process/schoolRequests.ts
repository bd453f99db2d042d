import type { Client } from '../compare/client.ts'

const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_courses', arguments: { limit: 5 } } }
const mcpHeaders = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' }

/** The requests to each school, in this order. */
export const requests: Readonly<Record<string, (client: Client, host: string) => ReturnType<Client['send']>>> = {
  metadata: (client, host) => client.send('/.well-known/oauth-authorization-server', { headers: { host } }),
  keys: (client, host) => client.send('/api/oauth/jwks', { headers: { host } }),
  'llms.txt': (client, host) => client.send('/llms.txt', { headers: { host } }),
  'auth.md': (client, host) => client.send('/auth.md', { headers: { host } }),
  'openapi.json': (client, host) => client.send('/openapi.json', { headers: { host } }),
  'sign-in page': (client, host) => client.send('/account/sign-in', { headers: { host } }),
  'course list': (client, host) => client.send('/api/v1/courses', { headers: { host } }),
  'MCP call': (client, host) => client.send('/mcp', { json: call, headers: { host, ...mcpHeaders } }),
}
