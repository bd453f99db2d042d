import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import packageJson from '../../package.json' with { type: 'json' }
import { readConfigFile } from '../config/configFile.ts'
import { exportRows, listColumns } from '../store/exportRows.ts'
import type { FileStorage } from '../store/fileStorage.ts'
import { listSchoolTables, listStorageKeys } from '../store/schoolTables.ts'
import type { Sql } from '../store/sql.ts'

export type SaveFile = (name: string, contents: AsyncIterable<Uint8Array>) => Promise<void>

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
  const names = ['school', ...(await listSchoolTables(sql)).toReversed()]
  for (const [index, table] of names.entries()) {
    const counted = { rows: 0 }
    await save(`tables/${table}.ndjson`, linesOf(exportRows(sql, table, school.id), counted))
    const columns = await listColumns(sql, table)
    tables[table] = { ...counted, columns: Object.fromEntries(columns.map(({ name, type }) => [name, type])) }
    onProgress({ name: 'tables', done: index + 1, of: names.length })
  }
  const keys = await listStorageKeys(sql, school.id)
  const files: { key: string; bytes: number; sha256: string }[] = []
  const missing: string[] = []
  for (const [index, key] of keys.entries()) {
    const contents = await storage.read(key)
    if (contents === undefined) missing.push(key)
    else {
      const summed = { bytes: 0, hash: createHash('sha256') }
      await save(`files/${key}`, summing(contents, summed))
      files.push({ key, bytes: summed.bytes, sha256: summed.hash.digest('hex') })
    }
    onProgress({ name: 'files', done: index + 1, of: keys.length })
  }
  const configuration = readConfigFile(file)
  if (configuration !== undefined) await save(`${school.slug}.yaml`, Readable.from([Buffer.from(configuration)]))
  const manifest = {
    ...{ format: 'schoolgate-school-export', version: 1, schoolgate: packageJson.version },
    ...{ slug: school.slug, school_id: school.id, exported_at: new Date().toISOString(), tables, files, missing_files: missing },
  }
  await save('manifest.json', Readable.from([Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`)]))
  const rows = Object.values(tables).reduce((sum, table) => sum + table.rows, 0)
  return { rows, tables: names.length, files: files.length, missing }
}

async function* linesOf(pages: AsyncIterable<string[]>, counted: { rows: number }): AsyncGenerator<Uint8Array> {
  for await (const page of pages) {
    counted.rows += page.length
    yield Buffer.from(page.join(''))
  }
}

async function* summing(
  contents: AsyncIterable<Uint8Array>,
  summed: { bytes: number; hash: ReturnType<typeof createHash> },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of contents) {
    summed.bytes += chunk.length
    summed.hash.update(chunk)
    yield chunk
  }
}
