import type { Caller } from '../../base/caller.ts'
import { Problem } from '../../base/problem.ts'
import type { ApiResponse, Call } from '../call.ts'
import { type NoMembers, type ParameterValues, parameterValues, type SeenRow } from '../declare/expressions.ts'
import { apiPath, keyForms, rowKeyIn } from '../declare/operations.ts'
import { acceptedKey, type KeyName } from '../declare/parameters.ts'
import type { RowKey } from '../declare/queryScope.ts'
import type { AnyExpansion, Resource, ResourceExpansion } from '../declare/resource.ts'
import { fieldSelector, parseShape, type Shape } from '../declare/responseShape.ts'
import { hideGated, rowEtag, serialize, serializeOnDemand } from '../output/serialize.ts'
import { findRow, findRowsById, findRowsOf } from './findRows.ts'
import { keptTexts, withBody } from './rowTexts.ts'

/**
 * Returns one row in the caller's view.
 * @throws Problem invalid_id, or not_found if the caller cannot see the row
 */
export async function answerRow(call: Call): Promise<ApiResponse> {
  const { operation, database, queryScope } = call
  const { resource } = operation
  const shape = parseShape(call)
  const kept = await keptTexts(call, shape)
  if (kept) {
    const row = await findRow(database, { ...queryScope, part: kept.part }, keyOfCall(call))
    if (!row) throw noSuchRow(resource)
    const [text] = (await kept.of([row], database)) ?? []
    if (text !== undefined) {
      const etag = rowEtag(row.version, row.seen_as, text)
      return withBody(text, { status: operation.successStatus, etag, ...addressOf(call, row) })
    }
  }
  const row = await findRow(database, { ...queryScope, onDemand: shape.onDemand }, keyOfCall(call))
  if (!row) throw noSuchRow(resource)
  const headers = addressOf(call, row)
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

const maxRows = 20

type Context = Pick<Call, 'database' | 'queryScope' | 'school' | 'caller' | 'externalServices'> & { parameters: ParameterValues }

/** Serializes rows for a response, with the requested expansions. Runs one query for each expansion, not one for each row. */
export async function serializeExpanded(
  call: Call,
  { fields, expansions, onDemand }: Shape,
  rows: readonly SeenRow[],
): Promise<Record<string, unknown>[]> {
  const { resource } = call.operation
  const bodies = await withExpansions(call, resource, expansions, rows)
  if (onDemand.length > 0) {
    for (const [index, row] of rows.entries()) Object.assign(bodies[index] ?? {}, serializeOnDemand(resource, row, call, onDemand))
  }
  const named = fields && [...fields, ...expandedFields(fields, expansions), ...onDemand]
  return bodies.map(fieldSelector(named))
}

/** Returns the paths of what `expand` adds. Of a row of which `fields` names fields, these alone and the rows in it. */
const expandedFields = (fields: readonly string[], expansions: Shape['expansions']): string[] =>
  [...expansions].flatMap(([name, inner]) =>
    fields.some((path) => path.startsWith(`${name}.`)) ? inner.map((one) => `${name}.${one}`) : [name],
  )

async function withExpansions(
  context: Context,
  resource: Resource,
  expansions: ReadonlyMap<string, readonly string[]>,
  rows: readonly SeenRow[],
): Promise<Record<string, unknown>[]> {
  const bodies = rows.map((row) => serialize(resource, row, context))
  const shown = rows.map((row) => hideGated(resource, row, row))
  for (const [name, inner] of expansions) {
    const expansion = resource.expansions[name]
    if (!expansion) continue
    const values = await valuesOf(context, expansion, inner, shown)
    for (const [index, body] of bodies.entries()) body[name] = values[index]
  }
  return bodies
}

async function valuesOf(context: Context, expansion: AnyExpansion, inner: readonly string[], rows: readonly SeenRow[]): Promise<unknown[]> {
  if (!expansion.resources) return await valuesOfOne(context, expansion, inner, rows)
  const references = rows.map((row) => ({ row, reference: expansion.reference(row) }))
  const values: unknown[] = rows.map(() => null)
  for (const resource of expansion.resources()) {
    const own = references.flatMap(({ row, reference }, index) => (reference?.object === resource.object ? [{ index, row }] : []))
    if (own.length === 0) continue
    const toOne = { resource: () => resource, id: (row: SeenRow) => expansion.reference(row)?.id ?? null }
    const found = await valuesOfOne(
      context,
      toOne,
      inner,
      own.map(({ row }) => row),
    )
    for (const [place, { index }] of own.entries()) values[index] = found[place]
  }
  return values
}

async function valuesOfOne(
  context: Context,
  expansion: ResourceExpansion,
  inner: readonly string[],
  rows: readonly SeenRow[],
): Promise<unknown[]> {
  const resource = expansion.resource()
  const queryScope = { ...context.queryScope, resource }
  // The parameters of the request apply to its own resource only.
  const within = { ...context, queryScope, parameters: parameterValues<NoMembers>(new Map()) }
  const next = new Map(inner.map((name) => [name, []] as const))
  const { by } = expansion
  if (by !== undefined) {
    const found = await findRowsOf(context.database, queryScope, { column: by, owners: rows.map(({ id }) => id), limit: maxRows + 1 })
    const bodies = await withExpansions(within, resource, next, found)
    return rows.map(({ id }) => listOf(bodies.filter((_, index) => found[index]?.owner === id)))
  }
  const idsOf = (row: SeenRow): readonly string[] => {
    if (expansion.ids) return expansion.ids(row)
    const id = expansion.id?.(row)
    return id === null || id === undefined ? [] : [id]
  }
  const ids = [...new Set(rows.flatMap((row) => idsOf(row).slice(0, maxRows + 1)))]
  const found = await findRowsById(context.database, queryScope, ids)
  const bodies = await withExpansions(within, resource, next, found)
  const byId = new Map(found.map(({ id }, index) => [id, bodies[index]]))
  return rows.map((row) => {
    const own = idsOf(row).flatMap((id) => byId.get(id) ?? [])
    return expansion.ids ? listOf(own) : (own[0] ?? null)
  })
}

const listOf = (bodies: readonly unknown[]) => ({ data: bodies.slice(0, maxRows), has_more: bodies.length > maxRows })
