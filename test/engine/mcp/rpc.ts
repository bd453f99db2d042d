/** The envelope that revision 2026-07-28 wants with every request. */
export const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

export const bothTypes = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }

export interface RpcReply {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came
  json: any
}

/** Posts a message as a client does. A string is sent unchanged. */
export async function post(
  origin: string,
  message: unknown,
  headers: Record<string, string> = {},
  init: RequestInit = {},
): Promise<RpcReply> {
  const response = await fetch(`${origin}/mcp`, {
    method: 'POST',
    headers: { ...bothTypes, ...headers },
    body: typeof message === 'string' || message instanceof Uint8Array ? (message as string) : JSON.stringify(message),
    ...init,
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: /^[{[]/.test(text) ? JSON.parse(text) : undefined }
}

/** A request of the revisions with a handshake. */
export const request = (method: string, params: object = {}, id: string | number = 1) => ({ jsonrpc: '2.0', id, method, params })

/** The same request of revision 2026-07-28, with the headers that go with it. */
export function modern(method: string, params: Record<string, unknown> = {}): [message: object, headers: Record<string, string>] {
  const name = params.name ?? params.uri
  return [
    request(method, { ...params, _meta: envelope }),
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...(typeof name === 'string' && { 'mcp-name': name }) },
  ]
}

/** The result of a tool call. */
export async function callTool(origin: string, name: string, values: object = {}): Promise<RpcReply['json']> {
  const { json } = await post(origin, request('tools/call', { name, arguments: values }))
  return json.result ?? json
}
