import { errorCode } from '../../../base/log/errorCode.ts'
import type { Log } from '../../../base/log/log.ts'
import { DeliveryFailure } from '../../../base/net/deliveryFailure.ts'
import { isOutage } from '../../../base/process/outage.ts'
import { retryDelay } from '../../../base/process/retryDelay.ts'
import type { Database } from '../../../database/connection/database.ts'
import { withinDeadline } from '../../../database/connection/withinDeadline.ts'
import { heldSince } from '../../../database/migrations/restore.ts'
import { type ClaimedRow, claimOutbox, type Settlement, settleOutbox } from '../../../database/outbox/claimOutbox.ts'
import { dueLanes } from '../../../database/outbox/dueLanes.ts'
import type { OutboxKind } from '../../../database/outbox/outboxKinds.ts'
import { createLane, type OutboxLane } from './outboxLane.ts'

export interface OutboxHandler {
  /** Most rows in work at a time; of webhooks, for each endpoint. */
  concurrency: number
  /** True if the payload of a delivered row is kept: it names no person. */
  keepsPayload?: boolean
  /** True if a row gets its first attempt even after its time. */
  isTriedOnce?: boolean
  /** Why nothing is sent: rows are stored as withheld, with their payload. */
  withheld?: string | undefined
  /** True if the work leaves the service: it waits for an operator after a restore, because it may have been done before. */
  leaves?: boolean
  /** May run several times for a row. Throws a DeliveryFailure, or any other error for another attempt. */
  deliver(row: ClaimedRow): Promise<void>
  /** Replaces the claim of rows, for handlers with endpoints. */
  claim?(target: { schoolId: string; name: string }, limit: number, leaseSeconds: number): Promise<ClaimedRow[]>
}

export type OutboxOutcome = Settlement['outcome']

export interface OutboxArguments {
  database: Database
  handlers: Readonly<Partial<Record<OutboxKind, OutboxHandler>>>
  log: Log
  onOutcome?(kind: string, outcome: OutboxOutcome): void
  pollMilliseconds?: number
  leaseSeconds?: number
}

export interface OutboxWorker {
  /** Begins to deliver: rows of this process immediately, those of others and retries with the next poll. */
  start(): void
  /** Looks for due rows soon. Does nothing before `start`. */
  wake(): void
  drained(): Promise<void>
  /** Claims nothing more, and resolves when the rows in work are settled. */
  stop(): Promise<void>
}

/** An attempt ends this long before another process takes the row over, so that its outcome can be stored. */
const marginSeconds = 15

export function createOutboxWorker(args: OutboxArguments): OutboxWorker {
  const { database, handlers, log, onOutcome, pollMilliseconds = 2000, leaseSeconds = 60 } = args
  const lanes = new Map<string, OutboxLane>()
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let isFailing = false
  let attempts = 0

  const reportFailure = (error: unknown): void => {
    if (!isFailing) log.error({ err: error }, 'outbox cannot be read, trying again')
    isFailing = true
  }
  const settle = async (row: ClaimedRow, ended: Settlement): Promise<void> => {
    const about = { kind: row.kind, outbox_id: row.id, attempts: row.attempts, ...(row.target !== null && { endpoint: row.target }) }
    // The row stays claimed if this fails: another process repeats the attempt when the lease ends.
    await settleOutbox(database.kysely, row, ended).catch(reportFailure)
    if (ended.outcome === 'retried') log.warn({ ...about, reason: ended.reason }, 'delivery failed, will be retried')
    if (ended.outcome === 'withheld') log.info({ ...about, reason: ended.reason }, 'delivery withheld')
    if (ended.outcome === 'dead') log.error({ ...about, reason: ended.reason }, 'delivery given up')
    onOutcome?.(row.kind, ended.outcome)
    attempts += 1
  }
  let isHeld = false
  /** E-mails that were asked for after the restore are sent: somebody waits for a new password. */
  const holds = async (row: ClaimedRow): Promise<boolean> => {
    const since = await heldSince(database.kysely)
    return since !== undefined && (!['urgent_email', 'email'].includes(row.kind) || row.created_at <= since)
  }
  const attempt = async (row: ClaimedRow, handler: OutboxHandler): Promise<void> => {
    if (handler.withheld !== undefined) return settle(row, { outcome: 'withheld', reason: handler.withheld })
    if (handler.leaves && isHeld && (await holds(row))) return settle(row, { outcome: 'withheld', reason: heldReason })
    if (row.is_expired && !(handler.isTriedOnce && row.attempts === 1))
      return settle(row, { outcome: 'dead', reason: 'not delivered in time' })
    try {
      await withinDeadline(handler.deliver(row), (leaseSeconds - Math.min(marginSeconds, leaseSeconds / 2)) * 1000, 'the delivery')
      await settle(row, { outcome: 'delivered', keepsPayload: handler.keepsPayload ?? false })
    } catch (error) {
      const reason = reasonToStore(error)
      if (error instanceof DeliveryFailure && error.isPermanent) return settle(row, { outcome: 'dead', reason })
      const isExpected = error instanceof DeliveryFailure || isOutage(error)
      if (!isExpected) log.error({ err: error, kind: row.kind, outbox_id: row.id }, 'delivery failed unexpectedly')
      await settle(row, { outcome: 'retried', afterSeconds: retryDelay(row.attempts), reason })
    }
  }
  const laneOf = (kind: OutboxKind, handler: OutboxHandler, target?: { schoolId: string; name: string }): OutboxLane => {
    const key = [kind, target?.schoolId, target?.name].join(' ')
    const known = lanes.get(key)
    if (known) return known
    const lane = createLane({
      concurrency: handler.concurrency,
      isOrdered: target !== undefined,
      claim: (limit) =>
        target && handler.claim
          ? handler.claim(target, limit, leaseSeconds)
          : claimOutbox(database.kysely, { kind, target, limit, leaseSeconds }),
      work: (row) => attempt(row, handler),
      onError: reportFailure,
    })
    lanes.set(key, lane)
    return lane
  }
  const kinds = Object.keys(handlers) as OutboxKind[]

  /** Runs every lane that has due rows. Resolves when they are done. */
  const poll = async (): Promise<void> => {
    for (const [key, lane] of lanes) if (lane.isIdle) lanes.delete(key)
    try {
      const due = isStopped
        ? []
        : await dueLanes(
            database.kysely,
            kinds.filter((kind) => !handlers[kind]?.claim),
          )
      if (due.length > 0) isHeld = (await heldSince(database.kysely)) !== undefined
      isFailing = false
      await Promise.all(
        due.map(async ({ kind, school_id: schoolId, target: name }) => {
          const handler = handlers[kind as OutboxKind]
          const target = schoolId !== null && name !== null ? { schoolId, name } : undefined
          if (handler && !isStopped) await laneOf(kind as OutboxKind, handler, target).run()
        }),
      )
    } catch (error) {
      reportFailure(error)
    }
  }
  const polls = new Set<Promise<void>>()
  const startPoll = (): Promise<void> => {
    const current: Promise<void> = poll().finally(() => polls.delete(current))
    polls.add(current)
    return current
  }
  let isWakeful = false
  return {
    start() {
      timer ??= setInterval(startPoll, pollMilliseconds).unref()
      void startPoll()
    },
    wake() {
      if (timer === undefined || isWakeful) return
      isWakeful = true
      // Several rows of one moment need one look. Deferred, so that the response goes first.
      setImmediate(() => {
        isWakeful = false
        void startPoll()
      })
    },
    async drained() {
      // Work can add further work.
      for (let before = -1; before !== attempts; ) {
        before = attempts
        await startPoll()
        await Promise.all(polls)
      }
    },
    async stop() {
      isStopped = true
      clearInterval(timer)
      await Promise.all([...lanes.values()].map((lane) => lane.stop()))
      await Promise.all(polls)
    },
  }
}

/** The reason that rows and commands show. */
const heldReason = 'held after a restore: see schoolgate outbox release'

/** Messages of other errors can contain values of the row, so only their code is stored. */
const reasonToStore = (error: unknown): string => {
  if (error instanceof DeliveryFailure) return error.message
  if (isOutage(error)) return `a store did not answer: ${errorCode(error) ?? 'no connection'}`
  return `unexpected failure: ${errorCode(error) ?? (error instanceof Error ? error.name : 'no error')}; see the log`
}
