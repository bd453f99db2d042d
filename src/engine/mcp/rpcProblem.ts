import type { Problem } from '../../base/problem.ts'

/** Codes of JSON-RPC 2.0 section 5.1, and of the transport for errors that JSON-RPC does not define. */
export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  transport: -32000,
} as const

/** Header and body, or client and server, use different revisions (MCP 2026-07-28, error codes). */
export const unsupportedRevision = -32022

interface RefusalOptions {
  data?: unknown
  /** The rejected message: the error contains its id. Undefined if no message could be parsed. */
  answered?: unknown
}

export const rpcError = (code: number, message: string, { data, answered }: RefusalOptions = {}): Record<string, unknown> => ({
  jsonrpc: '2.0',
  error: { code, message, ...(data !== undefined && { data }) },
  ...idOf(answered),
})

function idOf(message: unknown): { id?: string | number } {
  const id = typeof message === 'object' && message !== null && 'id' in message ? message.id : undefined
  return typeof id === 'string' || typeof id === 'number' ? { id } : {}
}

export function rpcCodeOf({ code, status }: Problem): number {
  if (code === 'invalid_json') return rpcCodes.parseError
  if (code === 'invalid_request') return rpcCodes.invalidRequest
  return status >= 500 ? rpcCodes.internal : rpcCodes.transport
}
