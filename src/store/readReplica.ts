import { isOutage } from '../lib/outage.ts'
import type { Database, Reader } from './database.ts'
import type { Sql } from './sql.ts'

/** Reads of visitors on a replica, while it is at most `maxLagSeconds` behind; on the primary otherwise. */
export interface ReadReplica {
  /** Runs reads for a visitor of the school. If the replica fails, they run again on the primary. */
  read<Result>(schoolId: string, work: (reader: Reader) => Promise<Result>): Promise<Result>
  /** Notes that this process has changed the school: visitors see the change with their next request. */
  noteChange(schoolId: string): void
  figures(): ReplicaFigures
  close(): Promise<void>
}

export interface ReplicaFigures {
  isUsable: boolean
  /** How long ago the primary was in the state that the replica has reached; undefined until that is known. */
  lagSeconds: number | undefined
  /** Why the replica is not used. */
  reason: string | undefined
}

export interface ReadReplicaArguments {
  primary: Database
  replica: Pick<Database, 'kysely' | 'sql' | 'close'>
  maxLagSeconds?: number
  /** Called when the replica is used again, and with the reason when it is no longer used. */
  onChange?: (figures: ReplicaFigures) => void
}

/** A position in the write-ahead log of the primary, and the moment when it was read. */
interface Mark {
  at: number
  position: bigint
}

const lookEveryMs = 500
/** Longer silence of the primary than this does not happen between two looks: the oldest marks are not needed. */
const mostMarks = 100
/** Schools whose last change is remembered; more are counted as one change of all schools. */
const mostSchools = 10_000

/** Positions count bytes. A server that was promoted writes another timeline, which cannot be compared. */
const positionOf = `
  SELECT pg_is_in_recovery() AS is_copy,
         pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END, '0/0')::text AS position,
         CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS timeline`

interface Position {
  is_copy: boolean
  position: string | null
  timeline: string | null
}

/** Watches a replica by the positions of both servers in the log, not by clocks. Call `close` at the end; it closes the replica. */
export function createReadReplica({ primary, replica, maxLagSeconds = 5, onChange }: ReadReplicaArguments): ReadReplica {
  const changedAt = new Map<string, number>()
  let allChangedAt = 0
  let marks: Mark[] = []
  let timeline: string | null = null
  /** The moment whose state the replica has reached. */
  let freshAsOf: number | undefined
  let failure: string | undefined = 'not looked at yet'
  let wasUsable: boolean | undefined
  let isClosed = false

  const read = async ({ query }: Sql): Promise<Position | undefined> => (await query<Position>(positionOf))[0]

  /** A primary that is silent changes nothing: the replica stays as fresh as it was at the last look. */
  const referenceAt = (): number => {
    const last = marks.at(-1)?.at ?? Number.NEGATIVE_INFINITY
    return Math.min(performance.now(), last + 2 * lookEveryMs)
  }
  const reasonNow = (): string | undefined => {
    if (failure !== undefined) return failure
    if (freshAsOf === undefined) return 'it has not reached the primary yet'
    return referenceAt() - freshAsOf > maxLagSeconds * 1000 ? `it is more than ${maxLagSeconds} s behind` : undefined
  }
  const figures = (): ReplicaFigures => {
    const reason = reasonNow()
    const lagSeconds = freshAsOf === undefined ? undefined : Math.max(0, referenceAt() - freshAsOf) / 1000
    return { isUsable: reason === undefined, lagSeconds, reason }
  }
  const report = (): void => {
    const now = figures()
    if (now.isUsable === wasUsable) return
    wasUsable = now.isUsable
    onChange?.(now)
  }

  async function markPrimary(): Promise<void> {
    const at = performance.now()
    const found = await read(primary.sql).catch(() => undefined)
    if (!found || found.is_copy || found.position === null) return
    // Positions of the primary before are on another timeline.
    if (timeline !== null && found.timeline !== timeline) [marks, freshAsOf] = [[], undefined]
    timeline = found.timeline
    marks = [...marks.slice(1 - mostMarks), { at, position: BigInt(found.position) }]
  }

  async function look(): Promise<void> {
    await markPrimary()
    try {
      const found = await read(replica.sql)
      if (!found || found.position === null) throw new Error('it is not a replica')
      if (!found.is_copy && found.timeline !== timeline) throw new Error('it was promoted and is not a copy of the primary')
      const reached = BigInt(found.position)
      const last = marks.findLast(({ position }) => position <= reached)
      if (last) {
        freshAsOf = last.at
        marks = marks.filter(({ at }) => at >= last.at)
      }
      failure = undefined
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error)
    }
    report()
  }

  let looking: Promise<void> = Promise.resolve()
  let isLooking = false
  const timer = setInterval(() => {
    if (isLooking || isClosed) return
    isLooking = true
    looking = look().finally(() => (isLooking = false))
  }, lookEveryMs).unref()

  const hasChanges = (schoolId: string): boolean => (freshAsOf ?? 0) >= Math.max(changedAt.get(schoolId) ?? 0, allChangedAt)

  return {
    async read(schoolId, work) {
      if (reasonNow() !== undefined || !hasChanges(schoolId)) return await work(primary.kysely)
      try {
        return await work(replica.kysely)
      } catch (error) {
        if (!isOutage(error)) throw error
        failure = error instanceof Error ? error.message : String(error)
        report()
        return await work(primary.kysely)
      }
    },
    noteChange(schoolId) {
      const now = performance.now()
      if (changedAt.size >= mostSchools) {
        changedAt.clear()
        allChangedAt = now
      } else changedAt.set(schoolId, now)
    },
    figures,
    async close() {
      isClosed = true
      clearInterval(timer)
      await looking
      await replica.close()
    },
  }
}
