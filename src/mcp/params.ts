import { type SpecTypeName, specTypeSchemas } from '@modelcontextprotocol/server'

/** What each method that is answered here takes. */
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
])
const envelope = 'JSONRPCRequest' satisfies SpecTypeName

/**
 * What is wrong with the params of a request whose every other part is right; undefined where nothing is. The SDK calls such params a
 * failure of the server, or no message at all.
 */
export function paramsError(message: unknown): string | undefined {
  if (typeof message !== 'object' || message === null || !('method' in message)) return undefined
  const { params, ...rest } = message as Record<string, unknown>
  const type = requests.get(String(rest.method))
  if (type === undefined || fault(envelope, rest) !== undefined) return undefined
  // A member that is null is there, and is no object.
  const sent = 'params' in message ? { ...rest, params } : rest
  return fault(envelope, sent) ?? fault(type, { method: rest.method, ...('params' in message && { params }) })
}

/** The first thing in which a value is not of the type: `params.uri: Invalid input: expected string`. */
function fault(type: SpecTypeName, value: unknown): string | undefined {
  const result = specTypeSchemas[type]['~standard'].validate(value)
  if (result instanceof Promise || result.issues === undefined) return undefined
  const [issue] = result.issues
  const path = (issue?.path ?? []).map((step) => String(typeof step === 'object' ? step.key : step)).join('.')
  return `${path}: ${issue?.message ?? 'is not valid'}`.slice(0, 300)
}
