import { fromPublicId } from '../../lib/ids.ts'
import { Problem } from '../../lib/problem.ts'
import type { Caller } from '../../policy/caller.ts'
import type { Answer, Call } from '../call.ts'
import { type KeyName, readKey } from '../declare/parameters.ts'
import type { RowKey } from '../declare/queryScope.ts'
import type { Resource } from '../declare/resource.ts'
import { isPartial, parseShape } from '../declare/responseShape.ts'
import { listEtag } from '../output/etag.ts'
import { serializeTagged } from '../output/serialize.ts'
import { findRow } from './findRows.ts'
import { serializeExpanded } from './serializeExpanded.ts'

/**
 * Returns one row in the caller's view.
 * @throws Problem invalid_id, or not_found if the caller cannot see the row
 */
export async function answerRow(call: Call): Promise<Answer> {
  const { operation, database, queryScope } = call
  const { resource } = operation
  const shape = parseShape(call)
  const row = await findRow(database, { ...queryScope, onDemand: shape.onDemand }, keyOfCall(call))
  if (!row) throw noSuchRow(resource)
  if (!isPartial(shape)) return { status: operation.successStatus, ...serializeTagged(resource, row, call) }
  const [body = {}] = await serializeExpanded(call, shape, [row])
  const text = JSON.stringify(body)
  return { status: operation.successStatus, body, text, etag: listEtag(text) }
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
  const isRead = operation.kind === 'read' || operation.kind === 'list'
  return keyOf(resource, text, isRead && parameter.name === 'id' ? readKey(resource) : parameter.name)
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

// Slugs contain no underscore, so an id with another prefix is never read as a slug.
function keyOf({ idPrefix, object, slugForm, numberForm, hasSlug }: Resource, text: string, key: KeyName): RowKey {
  const takesSlug = key === 'id_or_slug'
  const id = fromPublicId(idPrefix, text)
  if (id !== undefined) return { column: 'id', value: id }
  if (takesSlug && slugForm.test(text)) return { column: 'slug', value: text }
  if (key === 'id_or_number' && numberForm?.test(text)) return { column: 'number', value: text }
  const rule = key === 'id' && hasSlug ? '. A slug is accepted only where it is read, changed or deleted' : others[key]
  const forms = `an id (${idPrefix}_ and 26 characters)${rule}`
  throw new Problem('invalid_id', { description: `Identify the ${object.replaceAll('_', ' ')} by ${forms}.` })
}

const others = {
  id: '',
  id_or_slug: ' or a slug (lower-case words joined by hyphens)',
  id_or_me: ' or me',
  id_or_number: ' or its number',
} as const satisfies Record<KeyName, string>
