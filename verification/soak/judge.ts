/** Judges what a run observed against what the service acknowledged. Pure functions: `judge.test.ts` plants each kind of error. */

/** The failures that callers may see at a moment. */
export interface Allowance {
  /** 503 or 429 with Retry-After. */
  refused: boolean
  /** A connection that breaks, or 502 and 504 of the gateway: a process was killed, or none is running. */
  broken: boolean
}

/** A response, or `undefined` for a connection that broke. */
export interface Observed {
  status: number
  retryAfter: string | undefined
}

/** The meaning of a response to the caller: an answer, a request to try again, or nothing. */
export type Service = 'answered' | 'refused' | 'lost'

export const serviceOf = (observed: Observed | undefined): Service => {
  if (observed === undefined || observed.status === 502 || observed.status === 504) return 'lost'
  return observed.status === 503 || observed.status === 429 ? 'refused' : 'answered'
}

/**
 * Returns what is wrong with a response or its absence at a moment at which only `allowed` may happen. `judgeRejections` judges 503 and 429 of
 * other moments together: a machine under load gets some.
 */
export function judgeService(observed: Observed | undefined, allowed: Allowance): string[] {
  const service = serviceOf(observed)
  if (service === 'lost') return allowed.broken ? [] : [observed ? `status ${observed.status} of the gateway` : 'no response']
  if (service === 'answered') return observed && observed.status >= 500 ? [`status ${observed.status}`] : []
  return Number(observed?.retryAfter) > 0 ? [] : [`${observed?.status} without Retry-After`]
}

/** Share of the requests that may be refused while nothing fails, because the machine is busy. */
const busyShare = 0.02

/** Judges the rejections while no failure allowed them. */
export function judgeRejections(refused: number, all: number): string[] {
  return refused > Math.max(5, all * busyShare) ? [`${refused} of ${all} requests were refused although nothing failed`] : []
}

/** A row that the service acknowledged. */
export interface ExpectedRow {
  table: string
  id: string
  /** The acknowledged value. More than one: a later change got no response. */
  values: readonly string[]
}

export interface StoredRow {
  table: string
  id: string
  value: string
  /** The text that exactly one request sent. */
  marker: string
}

/** Nothing acknowledged is lost, and nothing happens twice. `markers` are all that were ever sent. */
export function judgeRows(expected: readonly ExpectedRow[], stored: readonly StoredRow[], markers: ReadonlySet<string>): string[] {
  const problems: string[] = []
  const byId = new Map(stored.map((row) => [`${row.table} ${row.id}`, row]))
  for (const { table, id, values } of expected) {
    const found = byId.get(`${table} ${id}`)
    if (!found) problems.push(`lost: ${table} ${id} was acknowledged and does not exist`)
    else if (!values.includes(found.value)) problems.push(`lost: ${table} ${id} is "${found.value}" instead of "${values.join('" or "')}"`)
  }
  const seen = new Map<string, string>()
  for (const { table, id, marker } of stored) {
    const earlier = seen.get(`${table} ${marker}`)
    if (earlier !== undefined) problems.push(`twice: ${table} ${earlier} and ${id} come from one request, ${marker}`)
    if (!markers.has(marker)) problems.push(`${table} ${id} has the unknown marker ${marker}`)
    seen.set(`${table} ${marker}`, id)
  }
  return problems
}

/** The state of a token or session in the model. `unknown`: a change of it got no response, or the store may have lost it. */
export type Life = 'live' | 'dead' | 'unknown'

/** No invalidated token becomes valid again, and no valid one is lost. */
export function judgeLife(name: string, expected: Life, isActive: boolean): string[] {
  if (expected === 'dead' && isActive) return [`valid again: ${name} was invalidated and is accepted`]
  if (expected === 'live' && !isActive) return [`lost: ${name} is valid and is not accepted`]
  return []
}

/** Numbers such as INV-2026-000001 have neither gap nor repetition. */
export function judgeNumbers(what: string, numbers: readonly string[]): string[] {
  const sorted = numbers.map((number) => Number(number.split('-').at(-1))).toSorted((a, b) => a - b)
  const wrong = sorted.findIndex((number, index) => number !== index + 1)
  return wrong === -1 ? [] : [`${what}: after ${wrong} comes ${sorted[wrong]} in a sequence of ${sorted.length}`]
}

export interface SeenEvent {
  /** Identifies the event: the id of the change or of the webhook. */
  id: string
  /** The object, such as `crs_…`. */
  resource: string
  version: number
}

/**
 * Every version of each object came once, in order and without gaps, from the first one on. `least` is the version that the service has
 * acknowledged, by object.
 */
export function judgeEvents(what: string, events: readonly SeenEvent[], least: ReadonlyMap<string, number>): string[] {
  const problems: string[] = []
  const latest = new Map<string, number>()
  const ids = new Set<string>()
  for (const { id, resource, version } of events) {
    if (ids.has(id)) {
      problems.push(`${what}: ${id} came twice`)
      continue
    }
    ids.add(id)
    const before = latest.get(resource) ?? 0
    if (version !== before + 1) problems.push(`${what}: version ${version} of ${resource} came after version ${before}`)
    latest.set(resource, version)
  }
  for (const [resource, version] of least) {
    const reached = latest.get(resource) ?? 0
    if (reached < version) problems.push(`${what}: version ${version} of ${resource} is missing, the last is ${reached}`)
  }
  return problems
}
