import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseDocument } from 'yaml'
import { z } from 'zod'
import { newId } from '../../base/ids.ts'
import type { Keyring } from '../../base/keyring.ts'
import { parseJson } from '../../base/text/parseJson.ts'
import type { Database } from '../../database/connection/database.ts'
import { violationOf } from '../../database/connection/databaseErrors.ts'
import type { FileStorage } from '../../database/files/fileStorage.ts'
import { continueEpochs, hasSchoolId, renameSchool } from '../../database/transfer/importedSchool.ts'
import { describeSchoolTables } from '../../database/transfer/tableShapes.ts'
import { fillTables } from '../../database/transfer/writeRows.ts'
import { failure, usage } from './failures.ts'
import { damagedFiles, readManifest, savedFiles, storeFiles } from './savedFolder.ts'
import { savedLines } from './savedLines.ts'

const manifestSchema = z.object({
  format: z.literal('schoolgate-school-export'),
  version: z.literal(1),
  schoolgate: z.string(),
  slug: z.string().regex(/^[a-z\d-]{1,63}$/),
  school_id: z.uuid(),
  tables: z.record(z.string(), z.object({ rows: z.int(), columns: z.record(z.string(), z.string()) })),
  files: savedFiles,
  missing_files: z.array(z.string()),
})

export type SchoolExport = z.infer<typeof manifestSchema>

/** @throws CommanderError if the directory contains no complete export, or a damaged file */
export async function readExport(directory: string): Promise<SchoolExport> {
  const manifest = await readManifest(directory, manifestSchema, 'export of a school')
  for (const { key } of manifest.files) requireOwnKey(key, manifest.school_id)
  const damaged = await damagedFiles(directory, manifest.files)
  if (damaged.length > 0)
    throw failure(`the export is damaged: ${damaged.length} files differ from the manifest, such as files/${damaged[0]}`)
  return manifest
}

/** Returns the configuration file of the exported school with another issuer. @throws CommanderError without an issuer */
export async function configurationOf(directory: string, { slug }: SchoolExport, issuer: string | undefined): Promise<string> {
  const document = parseDocument(await readFile(join(directory, `${slug}.yaml`), 'utf8').catch(() => '{}\n'))
  if (issuer !== undefined) document.set('issuer', issuer)
  if (!document.has('issuer')) throw usage('the export contains no issuer: name the address of the school with --issuer')
  return String(document)
}

export interface ImportArguments {
  directory: string
  manifest: SchoolExport
  slug: string
  database: Database
  storage: FileStorage
  keyring: Keyring
  onProgress(progress: { name: string; done: number; of: number }): void
}

export interface Imported {
  schoolId: string
  rows: number
}

/**
 * Adds an exported school under a slug, in one transaction. Ids stay. If the database has a school with the same id, the new one gets another
 * id, and the ids of its rows stay, because they are separate for each school.
 * @throws CommanderError if the rows do not fit into this database
 */
export async function importSchool({
  directory,
  manifest,
  slug,
  database,
  storage,
  keyring,
  onProgress,
}: ImportArguments): Promise<Imported> {
  const tables = await describeSchoolTables(database.sql)
  requireSameTables(manifest, tables)
  await requireOwnKeys(directory, keyring)
  const { school_id: former } = manifest
  const schoolId = (await hasSchoolId(database.sql, former)) ? newId() : former
  const withNewId = (text: string): string => text.replaceAll(former, schoolId)
  async function* linesOf(table: string): AsyncGenerator<string[]> {
    for await (const lines of savedLines(join(directory, 'tables', `${table}.ndjson`))) {
      for (const line of lines) requireOwnRow(table, line, former)
      yield lines.map(withNewId)
    }
  }
  try {
    await storeFiles({ directory, files: manifest.files, storage, keyOf: withNewId, onProgress })
    const rows = await database.script(async (script) => {
      const filled = await fillTables({
        sql: script,
        tables,
        async *linesOf(table) {
          for await (const lines of linesOf(table)) yield table === 'school' ? lines.map((line) => renameSchool(line, slug)) : lines
        },
        onProgress,
      })
      await continueEpochs(script, schoolId)
      return filled
    })
    return { schoolId, rows }
  } catch (error) {
    for (const { key } of manifest.files) await storage.remove(withNewId(key))
    const violation = violationOf(error)
    if (violation?.kind !== 'unique') throw error
    throw failure(
      `a row of the export exists in another school of this installation (${violation.constraint || 'unique'}), and it must be unique among all schools: nothing was imported`,
    )
  }
}

/** Rows and files of an export can only be those of its school: others would change a school of this installation. */
const foreign = (what: string): Error => failure(`the export is damaged: ${what} belongs to another school, nothing was imported`)

function requireOwnKey(key: string, schoolId: string): void {
  if (!key.startsWith(`${schoolId}/`)) throw foreign(`files/${key}`)
}

const owned = z.object({ id: z.unknown(), school_id: z.unknown(), storage_key: z.string().nullish() }).partial()

function requireOwnRow(table: string, line: string, schoolId: string): void {
  const { id, school_id: owner, storage_key: key } = owned.parse(parseJson(line))
  if ((table === 'school' ? id : owner) !== schoolId) throw foreign(`a row of ${table}`)
  if (key) requireOwnKey(key, schoolId)
}

function requireSameTables({ tables: saved, schoolgate }: SchoolExport, tables: Awaited<ReturnType<typeof describeSchoolTables>>): void {
  const columnsOf = (columns: Readonly<Record<string, string>> | undefined): string =>
    JSON.stringify(Object.entries(columns ?? {}).toSorted())
  const names = new Set([...Object.keys(saved), ...tables.map(({ name }) => name)])
  const different = [...names].filter((name) => {
    const own = tables.find((table) => table.name === name)
    return columnsOf(saved[name]?.columns) !== columnsOf(own && Object.fromEntries(own.columns.map((column) => [column.name, column.type])))
  })
  if (different.length > 0)
    throw failure(
      `the export is of release ${schoolgate}, whose tables differ from those of this database (${different.slice(0, 3).join(', ')}): upgrade both installations to the same release and export again`,
    )
}

/** Everything sealed in an export was sealed with the SECRET_KEY of its installation, as the signing keys were. */
async function requireOwnKeys(directory: string, keyring: Keyring): Promise<void> {
  for await (const lines of savedLines(join(directory, 'tables', 'signing_key.ndjson')))
    for (const line of lines)
      if (keyring.tryOpen('signing keys', sealedKey.parse(JSON.parse(line)).private_jwk) === undefined)
        throw failure(
          'SECRET_KEY does not decrypt the signing keys of the export: add the SECRET_KEY of its installation as the last one of the list',
        )
}

const sealedKey = z.object({ private_jwk: z.string() })
