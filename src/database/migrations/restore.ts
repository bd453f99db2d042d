import { sql } from 'kysely'
import type { Database, Reader, Writer } from '../connection/database.ts'
import { rawSql } from '../connection/rawSql.ts'
import { now } from '../statements/expressions.ts'
import { recordAudit } from '../tables/audit.ts'
import { listSchools } from '../tables/schools.ts'
import { continueSequences } from '../transfer/writeRows.ts'

/** How a restore was noticed. `moved`: the database was on another server, or in another database, at the last start. */
export interface Restore {
  how: 'backup restore' | 'backup mark' | 'moved'
  /** The time of the backup, if it is known. */
  backupOf?: string | undefined
  operator?: string
}

/**
 * Records that the database was restored: in the audit trail of each school, and in the installation. What may have been sent before is held
 * from now on, and sequences continue after the largest number.
 */
export async function recordRestore(writer: Writer, { how, backupOf, operator }: Restore): Promise<void> {
  await writer
    .updateTable('installation')
    .set(({ fn, ref }) => ({ restored_at: now, held_since: fn.coalesce(ref('held_since'), now) }))
    .execute()
  await continueSequences(rawSql(writer))
  const details = { how, ...(backupOf !== undefined && { backup_of: backupOf }), ...(operator !== undefined && { operator }) }
  for (const { id } of await listSchools(writer)) await recordAudit(writer, [{ school_id: id, event: 'operator.restored', details }])
}

/** Lets the next start take the place of the database as it is. */
export const forgetPlace = (writer: Pick<Writer, 'updateTable'>): Promise<unknown> =>
  writer.updateTable('installation').set({ database_place: null }).execute()

/**
 * Compares the server and the database with those of the last start. Another one means that a dump was restored, or the database was moved.
 * Returns true if this process has recorded it. A base backup or a snapshot that replaces the same database has the same place.
 */
export async function noticeRestore(database: Database): Promise<boolean> {
  if (database.kind !== 'postgresql') return false
  const [found] = await database.sql
    .query<{ place: string }>(
      `SELECT system_identifier || '/' || (SELECT oid FROM pg_database WHERE datname = current_database()) AS place FROM pg_control_system()`,
    )
    // Some providers keep the function for themselves.
    .catch(() => [])
  if (!found) return false
  const { place } = found
  return await database.transaction(async (writer) => {
    const { database_place: former } = await writer
      .selectFrom('installation')
      .select('database_place')
      .forUpdate()
      .executeTakeFirstOrThrow()
    if (former === place) return false
    await writer.updateTable('installation').set({ database_place: place }).execute()
    if (former !== null) await recordRestore(writer, { how: 'moved' })
    return former !== null
  })
}

/** Returns since when messages are held; undefined if none are. */
export async function heldSince(db: Reader): Promise<Date | undefined> {
  const row = await db.selectFrom('installation').select('held_since').executeTakeFirst()
  return row?.held_since ?? undefined
}

/** Ends the hold. Returns false if nothing was held. */
export async function endHold(writer: Writer): Promise<boolean> {
  const { numUpdatedRows } = await writer
    .updateTable('installation')
    .set({ held_since: null })
    .where('held_since', 'is not', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** The last number of orders, invoices or credit notes of a year. */
export interface LastNumber {
  school: string
  kind: string
  year: number
  last: number
}

export async function lastNumbers(db: Reader): Promise<LastNumber[]> {
  const orders = db
    .selectFrom('order_counter')
    .innerJoin('school', 'school.id', 'order_counter.school_id')
    .select(['school.slug as school', sql<string>`'order'`.as('kind'), 'year', 'last_no as last'])
  return await orders
    .unionAll(
      db
        .selectFrom('document_counter')
        .innerJoin('school', 'school.id', 'document_counter.school_id')
        .select(['school.slug as school', 'kind', 'year', 'last_no as last']),
    )
    .orderBy('school')
    .orderBy('kind')
    .orderBy('year')
    .execute()
}

/** Lets numbers continue after one that was given out after the backup. Never lowers one. Returns false if there is nothing to raise. */
export async function raiseNumber(
  writer: Writer,
  { schoolId, kind, year, last }: Omit<LastNumber, 'school'> & { schoolId: string },
): Promise<boolean> {
  const isOrder = kind === 'order'
  const [table, key, names, values] = isOrder
    ? ['order_counter', 'school_id, year', 'school_id, year, last_no', '$1, $2, $3']
    : ['document_counter', 'school_id, kind, year', 'school_id, year, last_no, kind', '$1, $2, $3, $4']
  const raised = await rawSql(writer).query(
    `INSERT INTO ${table} (${names}) VALUES (${values}) ON CONFLICT (${key}) DO UPDATE SET last_no = excluded.last_no
      WHERE ${table}.last_no < excluded.last_no RETURNING 1`,
    [schoolId, year, last, ...(isOrder ? [] : [kind])],
  )
  return raised.length > 0
}
