import { createHash } from 'node:crypto'
import type { PersonCaller } from '../../base/caller.ts'
import { withIds } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import { canonicalJson } from '../../base/text/canonicalJson.ts'
import type { SchoolDatabase, SchoolWriter } from '../../database/connection/database.ts'
import { rolledBackIn, within } from '../../database/connection/dryRun.ts'
import type { StoredRequest } from '../../database/tables/proposals.ts'
import type { AskReasonOf, Effect } from '../../database/undo/effect.ts'
import type { ApiResponse, RequestInput, RunContext } from '../call.ts'
import type { Operation } from '../declare/operations.ts'
import type { Measure } from './dryRun.ts'

/** A request that waits, in the form in which it is hashed, encrypted and shown. */
export interface RequestContent {
  /** The URL with its query. */
  target: string
  /** Values from the URL. */
  parameters: Readonly<Record<string, unknown>>
  /** The body: JSON, or the text of a CSV file. */
  body: unknown
  ifMatch: string
  /** True if the body is a CSV file. */
  isCsv?: boolean
  /** Why the app makes the request, in its own words. */
  reason?: string
}

/** The stored part of a request, encrypted. */
export interface SealedRequest {
  content: RequestContent
  /** The ids of the rows that it adds. */
  ids: string[]
  /** The status and the effect that it had when the app sent it. */
  status: number
  effect: Effect
  /** Why the app has to ask first. Null in a proposal, about which the person decides in any case. */
  reason: AskReasonOf | null
}

/** A request of a proposal with its effects now. */
export interface Replayed {
  position: number
  /** Undefined if it can no longer be made. */
  now: ApiResponse | undefined
  problem: Problem | undefined
}

export type WithStore = RunContext & { store: SchoolDatabase }

/** How long the requests of a proposal may take together, in milliseconds. */
const maxMilliseconds = 10_000

/** The most changes of a request that are stored. */
const maxShown = 100

export type Replay = ReturnType<typeof createReplay>

export function createReplay(measure: Measure, operations: readonly Operation[]) {
  const byId = new Map(operations.map((operation) => [operation.id, operation]))

  /** Runs requests one after the other within the transaction of the writer. With `isKept`, they have their effects outside of it as well. */
  async function run(
    context: WithStore,
    caller: PersonCaller,
    { writer, requests, isKept = false }: { writer: SchoolWriter; requests: readonly StoredRequest[]; isKept?: boolean },
  ): Promise<Replayed[]> {
    const until = performance.now() + maxMilliseconds
    const inside = { ...context, isReplayed: true, database: writer, store: within(context.store, writer) }
    const replayed: Replayed[] = []
    for (const { position, operation: id, sealed } of requests) {
      if (performance.now() > until)
        throw new Problem('invalid_request', {
          description: 'The proposal takes longer than 10 seconds. Submit it, and begin another one.',
        })
      const stored = openRequest(context, sealed)
      const operation = byId.get(id)
      try {
        if (!stored || !operation) throw new Problem('not_found', { description: 'The request is no longer stored.' })
        const again = () => measure(operation, caller, inputOf(stored.content), inside, isKept ? 'made' : 'replayed')
        replayed.push({ position, now: (await withIds(stored.ids, again)).result, problem: undefined })
      } catch (error) {
        if (!(error instanceof Problem) || error.status >= 500) throw error
        replayed.push({ position, now: undefined, problem: error })
      }
    }
    return replayed
  }

  return {
    run,
    show: (context: WithStore, caller: PersonCaller, requests: readonly StoredRequest[]): Promise<Replayed[]> =>
      rolledBackIn(context.store, (writer) => run(context, caller, { writer, requests })),
  }
}

/** Returns what is stored of a request; undefined if it was deleted, or its key is gone. */
export function openRequest(
  { externalServices: { approvals } }: { externalServices: Pick<RunContext['externalServices'], 'approvals'> },
  sealed: string | null,
): SealedRequest | undefined {
  const text = sealed === null ? undefined : approvals.open(sealed)
  return text === undefined ? undefined : JSON.parse(text)
}

const inputOf = ({ target, parameters, body, isCsv, ifMatch, reason }: RequestContent): RequestInput => ({
  target,
  parameters: () => parameters,
  body: async () => body,
  ...(isCsv && { csv: async () => String(body) }),
  ifMatch: ifMatch || undefined,
  agentReason: reason,
})

/**
 * Returns a hash of what requests change, as a person sees it. Values that an earlier one of them has set are left out: they can contain the
 * time.
 */
export function effectHash(replayed: readonly Replayed[]): string {
  const touched = new Set<string>()
  const seen = replayed.map(({ position, now, problem }) => {
    const effect = now?.entry?.effect
    const changes = effect?.changes.map(({ type, id, action, fields }) => {
      const isFirst = !touched.has(`${type} ${id}`)
      touched.add(`${type} ${id}`)
      return [type, id, action, fields.map(({ field, before }) => [field, isFirst ? before : null])]
    })
    const { affected, emails, undoDays } = effect ?? {}
    return [position, problem?.code, affected, emails && emails.now + emails.later, undoDays, now?.entry?.rowVersion, changes]
  })
  return hashOf(seen)
}

export const hashOf = (value: unknown): string => createHash('sha256').update(canonicalJson(value)).digest('base64url')

/** Returns the content of a request, of which the person sees every part. */
export async function contentOf(
  { path }: Operation,
  { target = path, parameters, body, csv, ifMatch = '', agentReason }: RequestInput,
): Promise<RequestContent> {
  const text = await csv?.()
  const reason = agentReason !== undefined && { reason: agentReason }
  return {
    target,
    parameters: parameters(),
    body: text ?? (await body?.()),
    ifMatch,
    ...(text !== undefined && { isCsv: true }),
    ...reason,
  }
}

/** Returns what is stored of a request that was tried; undefined if it changes nothing. */
export function sealedOf(
  { status, entry }: ApiResponse,
  stored: Pick<SealedRequest, 'content' | 'ids' | 'reason'>,
): SealedRequest | undefined {
  const effect = entry?.effect
  return effect && { ...stored, status, effect: { ...effect, changes: effect.changes.slice(0, maxShown) } }
}

/** Returns a request whose parts can be read twice. */
export function readOnce({ body, csv, ...sent }: RequestInput): RequestInput {
  const once = <Value>(read: (() => Promise<Value>) | undefined): (() => Promise<Value>) | undefined => {
    let reading: Promise<Value> | undefined
    return read && (() => (reading ??= read()))
  }
  const [readBody, readCsv] = [once(body), once(csv)]
  return { ...sent, ...(readBody && { body: readBody }), ...(readCsv && { csv: readCsv }) }
}

/** The response of a request that was made when the person agreed, for the app that repeats it. */
export type StoredReply = Pick<ApiResponse, 'status' | 'headers' | 'etag' | 'text'>
