import type { Caller } from '../../base/caller.ts'
import { Problem } from '../../base/problem.ts'
import type { ApiResponse, Call } from '../call.ts'
import type { SeenRow } from '../declare/expressions.ts'
import { apiPath } from '../declare/operations.ts'
import { acceptedKey, type KeyName } from '../declare/parameters.ts'
import type { RowKey } from '../declare/queryScope.ts'
import type { Resource } from '../declare/resource.ts'
import { isPartial, parseShape } from '../declare/responseShape.ts'
import { keyForms, rowKeyIn } from '../declare/rowKeys.ts'
import { rowEtag } from '../output/etag.ts'
import { serializeTagged } from '../output/serialize.ts'
import { findRow } from './findRows.ts'
import { serializeExpanded } from './serializeExpanded.ts'

/**
 * Returns one row in the caller's view.
 * @throws Problem invalid_id, or not_found if the caller cannot see the row
 */
export async function answerRow(call: Call): Promise<ApiResponse> {
  const { operation, database, queryScope } = call
  const { resource } = operation
  const shape = parseShape(call)
  const row = await findRow(database, { ...queryScope, onDemand: shape.onDemand }, keyOfCall(call))
  if (!row) throw noSuchRow(resource)
  const headers = addressOf(call, row)
  if (!isPartial(shape)) return { status: operation.successStatus, ...serializeTagged(resource, row, call), ...headers }
  const [body = {}] = await serializeExpanded(call, shape, [row])
  const text = JSON.stringify(body)
  return { status: operation.successStatus, body, text, etag: rowEtag(row.version, row.seen_as, text), ...headers }
}

/** Names the current address of a row that was found by a former slug or another spelling of its slug (RFC 9110 section 8.7). */
function addressOf({ operation: { resource, parameters: declared }, parameters }: Call, { slug }: SeenRow): Pick<ApiResponse, 'headers'> {
  const requested = declared.some(({ name }) => name === 'id_or_slug') ? String(parameters.get('id_or_slug')) : undefined
  if (requested === undefined || requested === slug || typeof slug !== 'string' || requested.includes('_')) return {}
  return { headers: { 'Content-Location': `${apiPath}/${resource.path}/${encodeURIComponent(slug)}` } }
}

/** Returns the key of the row that the path names, of this resource or of its parent; undefined for a singleton. */
export function keyOfCall(
  { operation, parameters, caller }: Pick<Call, 'operation' | 'parameters' | 'caller'>,
  resource: Resource = operation.resource,
): RowKey | undefined {
  if (resource.isSingleton) return undefined
  const isOwn = operation.kind === 'action' && operation.rules.isOwn === true
  const parameter = operation.parameters.find((one) => one.in === 'path' && isKeyName(one.name))
  const text = parameter && String(parameters.get(parameter.name))
  if (isOwn || (parameter?.name === 'id_or_me' && text === 'me')) return ownKey(resource, caller)
  if (!parameter || text === undefined || !isKeyName(parameter.name)) return undefined
  return keyOf(resource, text, parameter.name === 'id' ? acceptedKey(resource) : parameter.name)
}

const keyNames: readonly KeyName[] = ['id', 'id_or_slug', 'id_or_me', 'id_or_number']

const isKeyName = (name: string): name is KeyName => keyNames.some((one) => one === name)

/**
 * Returns the key of the caller's own row.
 * @throws Problem not_found if the caller has none
 */
function ownKey(resource: Resource, caller: Caller): RowKey {
  const id = caller.kind === 'person' ? resource.me?.(caller) : undefined
  if (id === undefined || id === null) throw noSuchRow(resource)
  return { column: 'id', value: id }
}

/** Creates the Problem for a row that does not exist or that the caller cannot see. */
export const noSuchRow = ({ object }: Resource): Problem =>
  new Problem('not_found', { description: `There is no such ${object.replaceAll('_', ' ')}.` })

function keyOf(resource: Resource, text: string, accepts: KeyName): RowKey {
  const key = rowKeyIn(resource, text, accepts)
  if (key) return key
  throw new Problem('invalid_id', {
    description: `Identify the ${resource.object.replaceAll('_', ' ')} by ${keyForms(resource, accepts)}.`,
  })
}
