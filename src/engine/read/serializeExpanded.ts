import type { Call } from '../call.ts'
import type { SeenRow } from '../declare/expressions.ts'
import type { AnyExpansion, Resource, ResourceExpansion } from '../declare/resource.ts'
import { type Shape, selectFields } from '../declare/responseShape.ts'
import { type NoMembers, type ParameterValues, parameterValues } from '../declare/values.ts'
import { hideGated, serialize, serializeOnDemand } from '../output/serialize.ts'
import { findRowsById, findRowsOf } from './findRows.ts'

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
  const named = fields && [...fields, ...expansions.keys(), ...onDemand]
  return bodies.map((body) => selectFields(body, named))
}

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
