import { sql } from 'kysely'
import type { Reader, Writer } from '../connection/database.ts'
import { storableJson } from '../statements/storableText.ts'

/** Returns the digests of the settings that a process has stored last; undefined before the first. */
export async function readConfiguration(db: Reader): Promise<Readonly<Record<string, unknown>> | undefined> {
  return asDigests(await db.selectFrom('installation').select('configuration').executeTakeFirst())
}

/** Replaces the digests, and returns the former ones. Other processes that replace them wait for the end of the transaction. */
export async function replaceConfiguration(
  writer: Writer,
  digests: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const former = asDigests(await writer.selectFrom('installation').select('configuration').forUpdate().executeTakeFirst())
  await writer
    .updateTable('installation')
    .set({ configuration: storableJson(digests) })
    .execute()
  return former
}

function asDigests(row: { configuration: unknown } | undefined): Readonly<Record<string, unknown>> | undefined {
  const stored = row?.configuration
  return typeof stored === 'object' && stored !== null ? { ...stored } : undefined
}

/** The levels that an operator can set for a while, from the one with the most lines. */
export const temporaryLogLevels = ['trace', 'debug', 'info', 'warn', 'error'] as const

export type TemporaryLogLevel = (typeof temporaryLogLevels)[number]

/** Returns the temporary log level of the installation and the seconds until it ends, or undefined if none is set. */
export async function readLogLevel(db: Reader): Promise<{ level: TemporaryLogLevel; seconds: number; until: Date } | undefined> {
  const row = await db
    .selectFrom('installation')
    .select((eb) => [
      'log_level',
      'log_level_until',
      sql<string>`extract(epoch FROM ${eb.ref('log_level_until')} - clock_timestamp())`.as('seconds'),
    ])
    .executeTakeFirst()
  const level = temporaryLogLevels.find((known) => known === row?.log_level)
  const seconds = Number(row?.seconds)
  return level && row?.log_level_until && seconds > 0 ? { level, seconds, until: row.log_level_until } : undefined
}

/** Sets a level for some seconds; undefined ends the present one. */
export async function setLogLevel(writer: Writer, wanted: { level: TemporaryLogLevel; seconds: number } | undefined): Promise<void> {
  await writer
    .updateTable('installation')
    .set({
      log_level: wanted?.level ?? null,
      log_level_until: wanted ? sql<Date>`clock_timestamp() + make_interval(secs => ${wanted.seconds})` : null,
    })
    .execute()
}
