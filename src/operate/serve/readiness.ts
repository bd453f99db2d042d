import { setTimeout as delay } from 'node:timers/promises'
import type { ReadinessReport } from '../../base/http/admin.ts'
import type { Metrics } from '../../base/http/metrics.ts'
import type { Log } from '../../base/log/log.ts'
import { reasonOf } from '../../base/log/reason.ts'
import { isOutage } from '../../base/process/outage.ts'
import { withinDeadline } from '../../database/connection/withinDeadline.ts'

/**
 * The requests that fail while a part is away. `all`: the process is not ready. `some`: it is ready and degraded, because the gateway
 * would otherwise stop the requests that still work, too. `none`: it is degraded; the work waits, or another part does it.
 */
export type Loss = 'all' | 'some' | 'none'

/** A part of the service on which requests depend. */
export interface Part {
  loses: Loss
  /** @throws Error with the reason. A `PartialLoss` means that only some requests fail. */
  check(): Promise<void>
  /** For how long an outcome is used again; 0 by default. */
  freshSeconds?: number
}

export type Parts = Readonly<Record<string, Part>>

/** Thrown by the check of a part without which all requests fail, when only some of them do. */
export class PartialLoss extends Error {}

export interface PartState {
  part: string
  /** Why the part is away; undefined if it is not. */
  reason: string | undefined
  /** The requests that fail because of it. */
  loses: Loss
}

/** The states of the parts of this process. */
export interface Readiness {
  states(): Promise<PartState[]>
}

/** A hanging part must not delay the response beyond the patience of a gateway. */
const [checkMs, timeoutMs] = [3000, 500]

/** Checks the parts when asked, each once at a time. Logs when a part goes away and when it returns. */
export function createReadiness(parts: Parts, log: Pick<Log, 'info' | 'warn'>): Readiness {
  const watched = Object.entries(parts).map(([name, part]) => watchPart(name, part, log))
  return { states: () => Promise.all(watched.map((state) => state())) }
}

function watchPart(name: string, { loses, check, freshSeconds = 0 }: Part, log: Pick<Log, 'info' | 'warn'>): () => Promise<PartState> {
  let latest: PartState | undefined
  let endedAt = Number.NEGATIVE_INFINITY
  let running: Promise<PartState> | undefined

  const run = async (): Promise<PartState> => {
    const state = await withinDeadline(check(), checkMs, 'it').then(
      () => ({ part: name, reason: undefined, loses: 'none' as const }),
      (error: unknown) => ({ part: name, reason: reasonOf(error), loses: error instanceof PartialLoss ? 'some' : loses }),
    )
    const { reason } = state
    if (reason !== undefined && latest?.reason === undefined) log.warn({ part: name, reason, loses: state.loses }, 'part unavailable')
    if (reason === undefined && latest?.reason !== undefined) log.info({ part: name }, 'part available again')
    latest = state
    endedAt = performance.now()
    return state
  }
  return async () => {
    if (latest && performance.now() - endedAt < freshSeconds * 1000) return latest
    running ??= run().finally(() => (running = undefined))
    const known = latest
    if (!known || loses === 'all') return await running
    return await Promise.race([running, delay(timeoutMs, known, { ref: false })])
  }
}

/** Summarises the states. With `isStrict`, every request must succeed for the process to be ready. */
export function summarise(states: readonly PartState[], { isStrict }: { isStrict: boolean }): ReadinessReport {
  const away = states.filter(({ reason }) => reason !== undefined)
  const isReady = !away.some(({ loses }) => loses === 'all' || (isStrict && loses === 'some'))
  return {
    status: isReady ? (away.length > 0 ? 'degraded' : 'ready') : 'not ready',
    checks: Object.fromEntries(states.map(({ part, reason }) => [part, reason ?? 'ok'])),
    degraded: away.filter(({ loses }) => loses !== 'all').map(({ part }) => part),
  }
}

/** Publishes the states as metrics. */
export function collectReadiness(metrics: Pick<Metrics, 'collect'>, readiness: Readiness): void {
  metrics.collect(async (set) => {
    const states = await readiness.states()
    set('schoolgate_ready', {}, Number(summarise(states, { isStrict: false }).status !== 'not ready'))
    for (const { part, reason, loses } of states) set('schoolgate_degraded', { part }, Number(reason !== undefined && loses !== 'all'))
  })
}

/**
 * Returns a check of what the database says about another part. While the database does not respond, the former outcome is kept: the outage
 * is that of the database.
 */
export function readFromDatabase(read: () => Promise<string | undefined>): () => Promise<void> {
  let reason: string | undefined
  return async () => {
    try {
      reason = await read()
    } catch (error) {
      if (!isOutage(error)) throw error
    }
    if (reason !== undefined) throw new Error(reason)
  }
}
