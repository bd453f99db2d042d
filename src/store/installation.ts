import type { Reader, Writer } from './database.ts'
import { storableJson } from './storableText.ts'

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
