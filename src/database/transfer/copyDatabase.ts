import type { Database } from '../connection/database.ts'
import { beginCopy, type CopyState, continueCopy, endCopy, readCopyState } from '../migrations/copyRecord.ts'
import { migrate, migrationHistory } from '../migrations/migrate.ts'
import { forgetPlace } from '../migrations/restore.ts'
import { databaseId, emptyInstallation, filledTables, hasNoTables } from './emptyDatabase.ts'
import { type Digest, describeTables, digestOf, readPages, type TableShape, writeTimesInUtc } from './tableShapes.ts'
import { continueSequences, insertLines, setReferences } from './writeRows.ts'

/** The target cannot take the rows. The message names the reason and what to do. */
export class UnusableTarget extends Error {
  override name = 'UnusableTarget'
}

export interface CopyArguments {
  source: Database
  target: Database
  migrations: string
  onProgress(progress: { name: string; done: number; of: number }): void
}

export interface Copied {
  rows: number
  tables: number
  /** True if an interrupted copy was continued. */
  isContinued: boolean
}

/**
 * Copies every row of every table to an empty database. Nothing else may use the two meanwhile. After an interruption, another call
 * continues where the rows of the target end. The target is unusable until its tables have the same digests as those of the source.
 * @throws UnusableTarget if the target has other contents, or if the digests differ
 */
export async function copyDatabase({ source, target, migrations, onProgress }: CopyArguments): Promise<Copied> {
  const { state, isContinued } = await prepare(source, target, migrations)
  const tables = await describeTables(source.sql)
  const report = (name: string, done: number): void => onProgress({ name, done, of: tables.length })
  let current = state
  const write = async (table: TableShape, page: { lines: string[]; last: readonly string[] }): Promise<void> => {
    const next = { ...current, table: table.name, after: page.last }
    await target.script(async (script) => {
      if (current.hasRows) await setReferences(script, table, page.lines)
      else await insertLines(script, table, page.lines)
      await continueCopy(script, next)
    })
    current = next
  }
  const copyAll = async (ordered: readonly TableShape[], name: string): Promise<void> => {
    const begin = Math.max(
      0,
      ordered.findIndex((table) => table.name === current.table),
    )
    for (const [index, table] of ordered.slice(begin).entries()) {
      const after = table.name === current.table ? current.after : undefined
      const withValuesIn = current.hasRows ? table.late : []
      for await (const page of readPages(source.sql, table, { after, withValuesIn })) await write(table, page)
      report(`${name} (${table.name})`, begin + index + 1)
    }
  }
  if (!current.hasRows) {
    await copyAll(tables, 'tables')
    current = { source: current.source, hasRows: true }
    await target.script((script) => continueCopy(script, current))
  }
  await copyAll(
    tables.filter(({ late }) => late.length > 0),
    'references',
  )
  await target.script(continueSequences)
  const rows = await compare({ source, target, tables, report })
  await forgetPlace(target.kysely)
  await target.script(endCopy)
  return { rows, tables: tables.length, isContinued }
}

/** Creates the tables of the target, and returns how far an earlier copy from this source is. */
async function prepare(source: Database, target: Database, migrations: string): Promise<{ state: CopyState; isContinued: boolean }> {
  const { newer } = await migrationHistory(source, migrations)
  if (newer.length > 0)
    throw new Error(`the database has migrations of a newer release (${newer.join(', ')}): use that release for the copy`)
  const id = await databaseId(source.sql)
  if (id === undefined) throw new Error('the database has no migration records')
  const [table] = await target.sql.query<{ name: string | null }>(`SELECT to_regclass('_prisma_migrations')::text AS name`)
  if (!table?.name && !(await hasNoTables(target.sql)))
    throw new UnusableTarget('the target contains tables of another program: name an empty database')
  const before = table?.name ? await readCopyState(target.sql) : undefined
  if (before && before.source !== id)
    throw new UnusableTarget(
      'the target contains an incomplete copy of another installation: drop and create it, or name an empty database',
    )
  if (before) return { state: before, isContinued: true }
  await migrate(target, migrations)
  const filled = await filledTables(target.sql)
  if (filled.length > 0)
    throw new UnusableTarget(
      `the target belongs to another installation, or was filled before (rows in ${filled.slice(0, 3).join(', ')}): name an empty database`,
    )
  const state = { source: id }
  await target.script(async (script) => {
    await emptyInstallation(script)
    await beginCopy(script, state)
  })
  return { state, isContinued: false }
}

interface Comparison {
  source: Database
  target: Database
  tables: readonly TableShape[]
  report(name: string, done: number): void
}

/** Compares the digests of all tables, and returns the number of rows. */
async function compare({ source, target, tables, report }: Comparison): Promise<number> {
  const digest = (database: Database, table: TableShape): Promise<Digest> =>
    database.script(async (script) => {
      await writeTimesInUtc(script)
      return await digestOf(script, table)
    })
  const different: string[] = []
  let rows = 0
  for (const [index, table] of tables.entries()) {
    const [from, to] = [await digest(source, table), await digest(target, table)]
    rows += from.rows
    if (from.rows !== to.rows || from.digest !== to.digest) different.push(`${table.name} (${from.rows} and ${to.rows} rows)`)
    report('compared tables', index + 1)
  }
  if (different.length === 0) return rows
  throw new UnusableTarget(
    `the copy differs in ${different.join(', ')}, because the source changed after an interruption: drop and create the target, and copy again`,
  )
}
