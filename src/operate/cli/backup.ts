import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { z } from 'zod'
import packageJson from '../../../package.json' with { type: 'json' }
import type { Database } from '../../database/connection/database.ts'
import { openDatabase } from '../../database/connection/openDatabase.ts'
import { readOneState } from '../../database/connection/serverFacts.ts'
import type { FileStorage } from '../../database/files/fileStorage.ts'
import { storageIdKey } from '../../database/files/fileStorage.ts'
import { migrate } from '../../database/migrations/migrate.ts'
import { readMigrations } from '../../database/migrations/migrationFiles.ts'
import { readRecords } from '../../database/migrations/migrationHistory.ts'
import { listStorageKeys } from '../../database/school/schoolTables.ts'
import { emptyInstallation, filledTables, hasNoTables } from '../../database/transfer/emptyDatabase.ts'
import { type Digest, describeTables, digestOf, readPages, writeTimesInUtc } from '../../database/transfer/tableShapes.ts'
import { fillTables } from '../../database/transfer/writeRows.ts'
import { migrationsDirectory } from '../serve/start.ts'
import { linesOf } from './exportSchool.ts'
import { failure } from './failures.ts'
import { damagedFiles, readManifest, savedFiles } from './savedFolder.ts'
import { savedLines } from './savedLines.ts'
import { type SaveFile, saveFiles } from './saveFiles.ts'

type OnProgress = (progress: { name: string; done: number; of: number }) => void

const manifestSchema = z.object({
  format: z.literal('schoolgate-backup'),
  version: z.literal(1),
  schoolgate: z.string(),
  created_at: z.string(),
  migrations: z.array(z.string()),
  tables: z.record(z.string().regex(/^\w+$/), z.object({ rows: z.int(), digest: z.string() })),
  files: savedFiles,
  missing_files: z.array(z.string()),
})

export type Backup = z.infer<typeof manifestSchema>

export const rowsIn = ({ tables }: Pick<Backup, 'tables'>): number => Object.values(tables).reduce((sum, { rows }) => sum + rows, 0)

/**
 * Saves `tables/<table>.ndjson` with a row as JSON per line, `files/<key>`, and last `manifest.json` with the number and the digest of the rows
 * of each table. All rows are of one moment. Files follow, so that every row has its bytes.
 */
export async function makeBackup(
  database: Database,
  { storage, save, onProgress }: { storage: FileStorage; save: SaveFile; onProgress: OnProgress },
): Promise<Backup> {
  const { tables, keys, migrations } = await database.script(async (script) => {
    if (database.kind === 'postgresql') await readOneState(script)
    await writeTimesInUtc(script)
    const shapes = await describeTables(script)
    const saved: Record<string, Digest> = {}
    for (const [index, table] of shapes.entries()) {
      await save(`tables/${table.name}.ndjson`, linesOf(readPages(script, table), { rows: 0 }))
      saved[table.name] = await digestOf(script, table)
      onProgress({ name: 'tables', done: index + 1, of: shapes.length })
    }
    const records = await readRecords(script)
    return { tables: saved, keys: await listStorageKeys(script), migrations: records.map(({ migration_name: name }) => name) }
  })
  const { files, missing } = await saveFiles({ storage, keys: [storageIdKey, ...keys], save, onProgress })
  const backup: Backup = {
    ...{ format: 'schoolgate-backup', version: 1, schoolgate: packageJson.version, created_at: new Date().toISOString() },
    ...{ migrations, tables, files, missing_files: missing.filter((key) => key !== storageIdKey) },
  }
  await save('manifest.json', Readable.from([Buffer.from(`${JSON.stringify(backup, undefined, 2)}\n`)]))
  return backup
}

/** @throws CommanderError if the directory contains no complete backup, one of a newer release, or a damaged file */
export async function readBackup(directory: string): Promise<Backup> {
  const backup = await readManifest(directory, manifestSchema, 'backup')
  const known = new Set((await readMigrations(migrationsDirectory)).map(({ name }) => name))
  const unknown = backup.migrations.find((name) => !known.has(name))
  if (unknown !== undefined)
    throw failure(`the backup is of a newer release (${backup.schoolgate}, migration ${unknown}): use that release`)
  const damaged = await damagedFiles(directory, backup.files)
  if (damaged.length > 0)
    throw failure(`the backup is damaged: ${damaged.length} files differ from the manifest, such as files/${damaged[0]}`)
  return backup
}

/**
 * Adds the rows of a backup to an empty database, in one transaction, and compares each table with the manifest.
 * @throws CommanderError if the database has rows, or if a table differs
 */
export async function restoreRows(
  database: Database,
  { directory, backup, onProgress }: { directory: string; backup: Backup; onProgress: OnProgress },
): Promise<number> {
  if (!(await hasNoTables(database.sql))) {
    if ((await readRecords(database.sql)).length === 0) throw failure('the database contains tables of another program: use an empty one')
    const filled = await filledTables(database.sql)
    if (filled.length > 0) throw failure(`the database contains data (rows in ${filled.slice(0, 3).join(', ')}): restore into an empty one`)
  }
  const applied = new Set(backup.migrations)
  await migrate(database, migrationsDirectory, { mayApply: (name) => applied.has(name) })
  if ((await readRecords(database.sql)).length !== applied.size)
    throw failure('the database has migrations that the backup lacks: use an empty database without tables')
  return await database.script(async (script) => {
    await writeTimesInUtc(script)
    await emptyInstallation(script)
    const tables = await describeTables(script)
    const rows = await fillTables({
      sql: script,
      tables,
      linesOf: (table) => savedLines(join(directory, 'tables', `${table}.ndjson`)),
      onProgress,
    })
    const different: string[] = []
    for (const table of tables) {
      const [restored, saved] = [await digestOf(script, table), backup.tables[table.name]]
      if (restored.rows !== saved?.rows || restored.digest !== saved.digest) different.push(table.name)
    }
    if (different.length > 0) throw failure(`the backup is damaged: rows of ${different.join(', ')} differ from the manifest`)
    return rows
  })
}

/** Restores a backup into a throwaway database in a temporary directory. */
export async function verifyBackup(directory: string, backup: Backup, onProgress: OnProgress): Promise<number> {
  const place = await mkdtemp(join(tmpdir(), 'schoolgate-verify-'))
  try {
    const database = await openDatabase({ dataDirectory: place })
    try {
      return await restoreRows(database, { directory, backup, onProgress })
    } finally {
      await database.close()
    }
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}
