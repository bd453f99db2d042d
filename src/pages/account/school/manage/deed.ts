import type { ListedRow } from '../../../../base/text/pageOfRows.ts'
import type { ManagedOperation, ManagedResource } from '../../../../engine/output/managedResources.ts'
import type { FieldRules } from '../../../../engine/output/operationInput.ts'
import type { Report } from '../../../../engine/write/dryRunReport.ts'
import type { Texts } from '../../../texts.ts'
import { isClosed } from '../../found.ts'
import type { OwnRequest } from '../../ownPage.ts'
import { nameOf } from '../../requestRows.ts'
import { audienceAs, noRow } from './addresses.ts'
import { bodyIn, type Candidate, type Filling, leavesOf } from './fieldForms.ts'
import { groups, isGroup, isManaged, nothing, partsOf, resourceOf } from './managed.ts'

/** An operation of the API that a person is about to call, with the fields of its form. */
export interface Deed {
  resource: ManagedResource
  operation: ManagedOperation
  /** The fields of a quick change; undefined for all. */
  group: keyof typeof groups | undefined
  /** The row as it is now; undefined if the operation makes a new one. */
  row: ListedRow | undefined
  /** The entity tag of the row, if the operation changes what it shows. */
  version: string | undefined
  fields: Readonly<Record<string, FieldRules>>
  /** The rows of which the path names one, by its parameter. */
  parts: readonly { name: string; candidates: readonly Candidate[] }[]
  filling: Filling
  candidates: ReadonlyMap<string, readonly Candidate[]>
}

/** The effect of a deed that was tried. */
export interface Tried {
  report: Report
  /** The response, as it would be. */
  body: ListedRow
}

const maxCandidates = 100

/**
 * Reads what a page of an operation is about.
 * @throws Problem not_found if the person has no such operation or row
 */
export async function readDeed(request: OwnRequest): Promise<Deed> {
  const { params, role, perform } = request
  const { texts } = await request.pageContext()
  const resource = resourceOf(request)
  const [id = '', group] = (params.deed ?? '').split('-')
  const operation = resource.operations.find((one) => one.id === id)
  const person = await role()
  if (!operation?.roles.includes(audienceAs(person)) || operation.takesCsv) throw nothing()
  if (operation.isOnCollection !== (params.id === noRow && !resource.isSingleton)) throw nothing()
  const { get } = resource
  const isWithRow = get !== undefined && !operation.isOnCollection
  const answer = isWithRow
    ? await perform(get.id, {
        ...(get.parameter && { [get.parameter]: params.id }),
        ...(get.expand.length > 0 && { expand: get.expand.join() }),
      })
    : undefined
  const row = answer?.body ?? (operation.isOnCollection ? undefined : { id: params.id })
  if (row && answer && !isManaged(resource, row, person)) throw nothing()
  const { body: school } = await perform('getSchool')
  const isChange = operation.kind === 'update'
  const named = group === undefined ? undefined : isGroup(group) ? groups[group] : undefined
  if (group !== undefined && (!named || !isChange)) throw nothing()
  const fields = Object.fromEntries(Object.entries(operation.fields).filter(([name, rules]) => named?.(rules, name) ?? true))
  return {
    ...{ resource, operation, row, fields, group: group !== undefined && isGroup(group) ? group : undefined },
    version: isChange || operation.kind === 'remove' ? answer?.etag : undefined,
    parts: row ? partsOf(operation, row, resource).map((part) => namedPart(request, texts, part)) : [],
    filling: {
      ...{ timeZone: texts.timeZone, currency: school.currency },
      currentOf: (name) => (isChange && row ? operation.currentOf(name, row) : prefilled(request, name)),
    },
    candidates: await readCandidates(request, fields),
  }
}

/** Returns the rows of a part of the path; where the row does not list them, the one that the address or the form names. */
function namedPart(
  { ctx, sent }: OwnRequest,
  texts: Texts,
  { name, candidates }: ReturnType<typeof partsOf>[number],
): Deed['parts'][number] {
  const named = sent.get(name) ?? (typeof ctx.query[name] === 'string' ? ctx.query[name] : '')
  const rows = candidates.length > 0 ? candidates.map((one) => candidateOf(texts, one)) : [{ id: named, name: named }]
  return { name, candidates: rows }
}

/** The address may fill in a new row: the course of an enrolment. */
const prefilled = ({ ctx }: OwnRequest, name: string): unknown => {
  const value = ctx.query[name]
  return typeof value === 'string' && value.length <= 200 ? value : undefined
}

const candidateOf = (texts: Texts, row: ListedRow): Candidate => ({ id: String(row.id), name: nameOf(texts, row) || String(row.id) })

/** Reads the rows that fields with ids choose from, where there are few. */
async function readCandidates(request: OwnRequest, fields: Deed['fields']): Promise<Deed['candidates']> {
  const prefixes = new Set(leavesOf(fields).flatMap(({ rules: { idPrefix } }) => (idPrefix === undefined ? [] : [idPrefix])))
  const found = await Promise.all([...prefixes].map(async (prefix) => [prefix, await rowsOf(request, prefix, {})] as const))
  return new Map(found.flatMap(([prefix, rows]) => (rows ? [[prefix, rows] as const] : [])))
}

async function rowsOf(request: OwnRequest, prefix: string, query: ListedRow): Promise<Candidate[] | undefined> {
  const { services, ctx, accountId } = request
  const { texts } = await request.pageContext()
  const list = [...services.managed.values()].find((one) => one.idPrefix === prefix && one.list)?.list
  if (!list) return undefined
  try {
    const { rows, next } = await services.list(ctx, accountId, list.id, query, { limit: maxCandidates })
    return next === null ? rows.map((one) => candidateOf(texts, one)) : undefined
  } catch (error) {
    if (isClosed(error)) return undefined
    throw error
  }
}

/**
 * Replaces what a person has typed in a field with an id, a name or an e-mail address, by the id of the only row that it fits. Several rows
 * become the choices of the field.
 */
export async function resolveTyped(request: OwnRequest, { fields, candidates }: Deed): Promise<Deed['candidates']> {
  const { sent } = request
  const found = new Map(candidates)
  for (const { path, rules } of leavesOf(fields)) {
    const typed = (sent.get(path) ?? '').trim()
    if (rules.kind !== 'reference' || rules.idPrefix === undefined || typed.length < 2 || candidates.has(rules.idPrefix)) continue
    if (typed.startsWith(`${rules.idPrefix}_`)) continue
    const rows = await rowsOf(request, rules.idPrefix, { q: typed.slice(0, 100) })
    const [only] = rows ?? []
    if (rows?.length === 1 && only) sent.set(path, only.id)
    else if (rows && rows.length > 1) found.set(rules.idPrefix, rows)
  }
  return found
}

/** Returns the call of the operation with what a person has sent. */
export function callOf({ resource, operation, row, fields, filling, parts, version }: Deed, sent: URLSearchParams) {
  const own = resource.isSingleton ? undefined : operation.parameters[0]
  const others = parts.map(({ name, candidates }) => [name, sent.get(name) ?? candidates[0]?.id ?? ''])
  return {
    parameters: { ...(own !== undefined && { [own]: row?.id }), ...Object.fromEntries(others) },
    body: bodyIn(fields, sent, filling),
    ...(version !== undefined && { ifMatch: sent.get('version') ?? version }),
  }
}
