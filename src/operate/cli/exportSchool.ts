import { Readable } from 'node:stream'
import packageJson from '../../../package.json' with { type: 'json' }
import { readConfigFile } from '../../config/configFile.ts'
import type { Sql } from '../../database/connection/sql.ts'
import type { FileStorage } from '../../database/files/fileStorage.ts'
import { listStorageKeys } from '../../database/school/schoolTables.ts'
import { describeSchoolTables, type Page, readPages } from '../../database/transfer/tableShapes.ts'
import { type SaveFile, saveFiles } from './saveFiles.ts'

export interface ExportArguments {
  sql: Sql
  storage: FileStorage
  school: { id: string; slug: string }
  file: string
  save: SaveFile
  onProgress(progress: { name: string; done: number; of: number }): void
}

export interface Exported {
  rows: number
  tables: number
  files: number
  missing: readonly string[]
}

/**
 * Writes everything of a school: `tables/<table>.ndjson` with a row as JSON per line, `files/<storage key>`, the school's configuration
 * file, and last `manifest.json`, whose presence shows that the export is complete.
 */
export async function exportSchool({ sql, storage, school, file, save, onProgress }: ExportArguments): Promise<Exported> {
  const tables: Record<string, { rows: number; columns: Record<string, string> }> = {}
  const shapes = await describeSchoolTables(sql)
  for (const [index, table] of shapes.entries()) {
    const counted = { rows: 0 }
    await save(`tables/${table.name}.ndjson`, linesOf(readPages(sql, table, { schoolId: school.id }), counted))
    tables[table.name] = { ...counted, columns: Object.fromEntries(table.columns.map(({ name, type }) => [name, type])) }
    onProgress({ name: 'tables', done: index + 1, of: shapes.length })
  }
  const { files, missing } = await saveFiles({ storage, keys: await listStorageKeys(sql, school.id), save, onProgress })
  const configuration = readConfigFile(file)
  if (configuration !== undefined) await save(`${school.slug}.yaml`, Readable.from([Buffer.from(configuration)]))
  const manifest = {
    ...{ format: 'schoolgate-school-export', version: 1, schoolgate: packageJson.version },
    ...{ slug: school.slug, school_id: school.id, exported_at: new Date().toISOString(), tables, files, missing_files: missing },
  }
  await save('manifest.json', Readable.from([Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`)]))
  const rows = Object.values(tables).reduce((sum, table) => sum + table.rows, 0)
  return { rows, tables: shapes.length, files: files.length, missing }
}

/** Returns pages as the lines of a file, and counts the rows. */
export async function* linesOf(pages: AsyncIterable<Page>, counted: { rows: number }): AsyncGenerator<Uint8Array> {
  for await (const { lines } of pages) {
    counted.rows += lines.length
    yield Buffer.from(`${lines.join('\n')}\n`)
  }
}
