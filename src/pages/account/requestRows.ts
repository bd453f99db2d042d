import { Problem } from '../../base/problem.ts'
import { isObject } from '../../base/text/jsonValue.ts'
import { priceText } from '../../base/text/readerFormats.ts'
import type { RequestContent } from '../../engine/write/replay.ts'
import { namesOfObjects } from '../../school/apps/auditTrail.ts'
import type { Texts } from '../texts.ts'
import type { DescribedRequest, OwnAnswer, RowReader } from './accountArguments.ts'
import type { OwnRequest } from './ownPage.ts'

/** The rows that a request names, as the person sees them now. */
export interface RequestRows {
  /** The row that the request changes; undefined if it is new, or cannot be read. */
  row: Readonly<Record<string, unknown>> | undefined
  /** Its version; undefined if the row has none. */
  version: number | undefined
  /** The objects that the responses contain, by their ids. */
  objects: ReadonlyMap<string, Readonly<Record<string, unknown>>>
}

/** The ids of a body beyond these are shown as they are. */
const maxReads = 50
const idPattern = /^[a-z]{3}_[0-9a-z]{26}$|^(?:aut|ses)_[\w-]+$/
/** Reads of what belongs to the person, which no operation reads one by one. */
const ownLists: Readonly<Record<string, string>> = { aut: 'listAuthorizations', ses: 'listSessions' }

interface Reading {
  /** True if the person sees everybody. */
  seesPeople: boolean
  content: RequestContent
  described: DescribedRequest
  /** The changes of the request, whose objects are named too. */
  changes?: unknown
}

/** Reads what a request names with the operations of the API, so that the page shows nothing that the person may not see. */
export async function readRequestRows(
  { ctx, services, reader: database, accountId, perform }: OwnRequest,
  { seesPeople, content: { parameters, body }, described, changes }: Reading,
): Promise<RequestRows> {
  const found = new Map<string, Record<string, unknown>>()
  const read = async (operation: string, query: Readonly<Record<string, unknown>>): Promise<OwnAnswer | undefined> => {
    const answer = await unlessRefused(() => perform(operation, query))
    collect(answer?.body, found)
    return answer
  }
  const readList = async (operation: string, query: Readonly<Record<string, unknown>>): Promise<void> =>
    collect(await unlessRefused(() => services.list(ctx, accountId, operation, { ...query, limit: 100 })), found)
  const readRow = (id: string, { operation, parameter, expand }: RowReader): Promise<OwnAnswer | undefined> =>
    read(operation, { ...(parameter !== undefined && { [parameter]: id }), ...expanded(expand) })
  const { row: reader } = described
  const key = String(parameters.id ?? parameters[reader?.parameter ?? ''] ?? '')
  const own = reader && (key !== '' || reader.parameter === undefined) ? await readRow(key, reader) : undefined
  const part = idsIn(Object.values(parameters)).at(-1)
  const row = (part === undefined ? undefined : found.get(part)) ?? own?.body
  const former = isObject(body) ? Object.keys(body).map((name) => row?.[name]) : []
  for (const id of idsIn([...Object.values(parameters), body, former, changes]).slice(0, maxReads)) {
    if (found.has(id)) continue
    const prefix = id.slice(0, 3)
    const [ofPrefix, ofParent] = [services.readerOf(prefix), described.lists.find(({ idPrefix }) => idPrefix === prefix)]
    if (ofPrefix) await readRow(id, ofPrefix)
    else if (ofParent) await readList(ofParent.operation, { ...(ofParent.isUnder && { id: key }), ...expanded(ofParent.expand) })
    else if (prefix === 'prc') await readList('listPlans', {})
    else if (ownLists[prefix]) await readList(ownLists[prefix], {})
  }
  // Before their first subscription, no operation reads a person as a member.
  const others = idsIn(body).filter((id) => !found.has(id))
  if (others.length > 0 && seesPeople) for (const [id, name] of await namesOfObjects(database, others)) found.set(id, { name })
  const version = /^"(\d+)-/.exec(own?.etag ?? '')?.[1]
  return {
    row,
    version: version === undefined ? undefined : Number(version),
    objects: found,
  }
}

/** Returns undefined for what the person may not see. */
async function unlessRefused<Answer>(work: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

/** Returns the ids in a value, each once. */
export function idsIn(value: unknown): string[] {
  if (typeof value === 'string') return idPattern.test(value) ? [value] : []
  if (!isObject(value) && !Array.isArray(value)) return []
  return [...new Set(Object.values(value).flatMap(idsIn))]
}

/** Adds the objects with an id in a response. */
function collect(value: unknown, found: Map<string, Record<string, unknown>>): void {
  if (Array.isArray(value)) for (const one of value) collect(one, found)
  if (!isObject(value)) return
  if (typeof value.id === 'string' && idPattern.test(value.id)) found.set(value.id, { ...value, ...found.get(value.id) })
  for (const one of Object.values(value)) collect(one, found)
}

const expanded = (names: readonly string[]) => (names.length > 0 ? { expand: names.join(',') } : {})

/** Returns what people call an object: its title, and the address of a person; otherwise the names of what it belongs to. Empty if it has none. */
export function nameOf(texts: Texts, row: Readonly<Record<string, unknown>> | undefined): string {
  if (!row) return ''
  const { interval = 'one_time', interval_count: count = 1 } = row
  const { amount, currency } = isObject(row.amount) ? row.amount : row
  if (typeof amount === 'number' && typeof currency === 'string')
    return priceText({ amount, currency, interval: String(interval), interval_count: Number(count) }, texts.dateLocale)
  const titles = [
    row.title,
    row.name,
    row.display_name,
    row.client_name,
    row.filename,
    row.code,
    row.number,
    row.prompt,
    row.holder_name,
    row.course_title,
    row.user_agent,
  ]
  const name = titles.find((one) => typeof one === 'string' && one !== '')
  if (typeof name === 'string') return typeof row.email === 'string' ? `${name} (${row.email})` : name
  if (typeof row.email === 'string') return row.email
  const owners = ['person', 'student', 'member', 'course', 'plan', 'event', 'product'].map((member) => {
    const one = row[member]
    return isObject(one) ? nameOf(texts, one) : ''
  })
  return owners.filter((one) => one !== '').join(', ')
}
