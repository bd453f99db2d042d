import { isObject, type JsonObject } from '../../base/text/jsonValue.ts'
import { ownMember } from '../../base/text/ownMember.ts'

/** Members of a request that are objects. PHP serializes an empty one as a list. */
const objectMembers = new Set(['_meta', 'arguments', 'capabilities', 'elicitation', 'experimental', 'params', 'roots', 'sampling'])

/**
 * Returns the message as if the members of its params that are null had not been sent: clients serialize what is not set as null, and strict
 * function calling makes models name every argument. A member that is required is missing then, and its error says so.
 */
export function withoutNulls(message: unknown): unknown {
  if (!isObject(message) || !('params' in message)) return message
  const { params, ...rest } = message
  return params === null ? rest : { ...rest, params: present('params', params) }
}

/** Elements of lists remain: their places have a meaning. */
function present(name: string, value: unknown): unknown {
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).flatMap(([member, inner]) => (inner === null ? [] : [[member, present(member, inner)]])),
    )
  return Array.isArray(value) && value.length === 0 && objectMembers.has(name) ? {} : value
}

/** Returns the arguments of a tool or a prompt without empty texts for those that are optional: none has a use for them. */
export const withoutEmpty = <Value>(values: Readonly<Record<string, Value>>, required: readonly string[] = []): Record<string, Value> =>
  Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== '' || required.includes(name)))

/** Returns the arguments of a tool with lists in place of texts that contain one as JSON: several clients encode lists twice. */
export const withLists = (values: Readonly<JsonObject>, properties: Readonly<JsonObject> = {}): JsonObject =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const schema = ownMember(properties, name)
      return [name, isObject(schema) && schema.type === 'array' && typeof value === 'string' ? (listIn(value) ?? value) : value]
    }),
  )

const longestList = 8192

function listIn(text: string): unknown[] | undefined {
  if (!text.startsWith('[') || text.length > longestList) return undefined
  try {
    const parsed: unknown = JSON.parse(text)
    return Array.isArray(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

const header = 'mcp-protocol-version'
/** The member with which a message of 2026-07-28 names its revision. */
const claim = 'io.modelcontextprotocol/protocolVersion'

/**
 * Returns the headers without a revision that has no effect: an empty one, and that of `initialize`, whose body negotiates the revision (MCP
 * 2025-06-18, protocol version header). One that is repeated counts once. The revision that a message names itself is compared with it.
 */
export function withoutIdleRevision(sent: Headers, message: unknown): Headers {
  const value = sent.get(header)
  if (value === null) return sent
  const [revision, ...others] = new Set(value.split(',').map((one) => one.trim()))
  const headers = new Headers(sent)
  const isNegotiated = isObject(message) && message.method === 'initialize' && !claimsRevision(message.params)
  if (isNegotiated || value.trim() === '') headers.delete(header)
  else if (revision !== undefined && others.length === 0) headers.set(header, revision)
  return headers
}

const claimsRevision = (params: unknown): boolean => isObject(params) && isObject(params._meta) && claim in params._meta
