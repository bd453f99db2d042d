import { type SpecTypeName, specTypeSchemas } from '@modelcontextprotocol/server'

const requests = new Map<string, SpecTypeName>([
  ['initialize', 'InitializeRequest'],
  ['ping', 'PingRequest'],
  ['server/discover', 'DiscoverRequest'],
  ['tools/list', 'ListToolsRequest'],
  ['tools/call', 'CallToolRequest'],
  ['resources/list', 'ListResourcesRequest'],
  ['resources/templates/list', 'ListResourceTemplatesRequest'],
  ['resources/read', 'ReadResourceRequest'],
  ['prompts/list', 'ListPromptsRequest'],
  ['prompts/get', 'GetPromptRequest'],
  ['completion/complete', 'CompleteRequest'],
])
const envelope = 'JSONRPCRequest' satisfies SpecTypeName

/**
 * Returns the error in the params of an otherwise valid request; undefined if they are valid. The SDK would report such params as an
 * internal error or as an invalid message.
 */
export function paramsError(message: unknown): string | undefined {
  if (typeof message !== 'object' || message === null || !('method' in message)) return undefined
  const { params, ...rest }: Record<string, unknown> = { ...message }
  const type = typeof rest.method === 'string' ? requests.get(rest.method) : undefined
  if (type === undefined || typeError(envelope, rest) !== undefined) return undefined
  // A member that is null is present but not an object.
  const sent = 'params' in message ? { ...rest, params } : rest
  return typeError(envelope, sent) ?? typeError(type, { method: rest.method, ...('params' in message && { params }) })
}

function typeError(type: SpecTypeName, value: unknown): string | undefined {
  const result = specTypeSchemas[type]['~standard'].validate(value)
  if (result instanceof Promise || result.issues === undefined) return undefined
  const [issue] = result.issues
  const path = (issue?.path ?? []).map((step) => String(typeof step === 'object' ? step.key : step)).join('.')
  return `${path}: ${issue?.message ?? 'is not valid'}`.slice(0, 300)
}
