import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKeyring } from '../../../src/base/keyring.ts'
import type { Database } from '../../../src/database/connection/database.ts'
import { requireOwnStorage } from '../../../src/database/files/fileStorage.ts'
import { openFileStorage } from '../../../src/database/files/openFileStorage.ts'
import { ensureSchool } from '../../../src/database/tables/schools.ts'
import { openTestDatabase } from '../../support/databases.ts'
import { fillEveryTable } from '../../support/everyTable.ts'
import { rootSecret } from '../../support/service.ts'
import { type Cli, createCli, schoolFile, writeConfig } from './cli.ts'

interface Installation {
  config: string
  data: string
  database: Database
  cli: Cli
}

const undo: (() => unknown)[] = []
let source: Installation
let exported: string

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'schoolgate-import-'))
  undo.push(() => rm(path, { recursive: true, force: true }))
  return path
}

async function install(slug: string, secret = rootSecret): Promise<Installation> {
  const config = await writeConfig({ [`schools/${slug}.yaml`]: schoolFile(`https://${slug}.example.com`, slug) })
  const data = await folder()
  const { database, url, drop } = await openTestDatabase()
  undo.push(drop, () => rm(config, { recursive: true }))
  const variables = { CONFIG_DIR: config, DATA_DIR: data, SECRET_KEY: secret, ...(url && { DATABASE_URL: url }) }
  const storage = await openFileStorage(data, undefined)
  await requireOwnStorage(database, storage)
  return { config, data, database, cli: createCli({ variables, database: url ? undefined : database }) }
}

async function exportTo({ cli }: Installation, slug: string): Promise<string> {
  const output = join(await folder(), slug)
  const outcome = await cli(['schools', 'export', slug, '--output', output])
  expect(outcome, outcome.err).toMatchObject({ exitCode: 0 })
  return output
}

/** Returns the rows of an export by table, without what an import may change: the slug, the run of the server, and the work of operators. */
async function rowsOf(directory: string): Promise<Record<string, string[]>> {
  const rows: Record<string, string[]> = {}
  for (const name of await readdir(join(directory, 'tables'))) {
    const lines = (await readFile(join(directory, 'tables', name), 'utf8')).split('\n').filter((line) => line !== '')
    rows[name] = lines
      .filter((line) => name !== 'audit_log.ndjson' || !line.includes('"event":"operator.'))
      .map((line) => (name === 'school.ndjson' ? line.replace(/"slug":"[^"]*"/, '') : line))
      .map((line) => (name === 'change_log.ndjson' ? line.replace(/"epoch":\d+/, '') : line))
      .toSorted()
  }
  return rows
}
const schoolsOf = ({ database }: Installation) => database.kysely.selectFrom('school').select(['id', 'slug']).orderBy('slug').execute()

beforeAll(async () => {
  source = await install('first')
  const { database, data } = source
  await ensureSchool(database.kysely, { slug: 'first', name: 'First', locale: 'en', time_zone: 'UTC', currency: 'EUR' })
  await fillEveryTable(database.sql, { schools: 1, rows: 5 })
  const keyring = createKeyring([rootSecret])
  await database.sql.query('UPDATE signing_key SET private_jwk = $1', [keyring.seal('signing keys', '{}')])
  const [file] = await database.kysely.selectFrom('file').select('storage_key').orderBy('id').limit(1).execute()
  const storage = await openFileStorage(data, undefined)
  await storage.write(String(file?.storage_key), Readable.from([Buffer.from('bytes')]), { bytes: 5, contentType: 'text/plain' })
  exported = await exportTo(source, 'first')
})
afterAll(async () => {
  for (const step of undo.reverse()) await step()
})

test('an export that is imported elsewhere under another slug and issuer, and exported again, has the same rows of every table and the same files', async () => {
  const target = await install('other')
  const imported = await target.cli(['schools', 'import', exported, '--slug', 'second', '--issuer', 'https://second.example.org'])
  expect(imported, imported.err).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^second is imported: \d+ rows and 1 files/) })
  const again = await exportTo(target, 'second')
  const [before, after] = [await rowsOf(exported), await rowsOf(again)]
  expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([])
  expect(after).toEqual(before)
  const filesIn = async (path: string) => JSON.parse(await readFile(join(path, 'manifest.json'), 'utf8')).files
  expect(await filesIn(again)).toEqual(await filesIn(exported))
  const [old, now] = [
    await readFile(join(exported, 'first.yaml'), 'utf8'),
    await readFile(join(target.config, 'schools/second.yaml'), 'utf8'),
  ]
  expect(now).toBe(old.replace('https://first.example.com', 'https://second.example.org'))
  const [next] = await target.database.sql.query<{ is_later: boolean }>(
    'SELECT current_change_epoch() > max(epoch) AS is_later FROM change_log',
  )
  expect(next?.is_later).toBe(true)
})

test('an import that is refused leaves no row, file or configuration behind', async () => {
  const { cli, config, data } = source
  const state = async () => {
    const files = await readdir(join(data, 'files'), { recursive: true, withFileTypes: true })
    const names = files.filter((entry) => entry.isFile()).map(({ name }) => name)
    return [await schoolsOf(source), await readdir(join(config, 'schools')), names.toSorted()]
  }
  const before = await state()
  const refusals: [args: string[], message: RegExp][] = [
    [[exported], /school first exists: choose another slug/],
    [[exported, '--slug', 'Second!'], /is not a slug/],
    [[exported, '--slug', 'second', '--issuer', 'ftp://second'], /the school was not imported: .*issuer/s],
    [[exported, '--slug', 'second'], /the school was not imported: .*every school needs its own host/s],
    // Certificate numbers are unique among all schools.
    [[exported, '--slug', 'second', '--issuer', 'https://second.example.org'], /must be unique among all schools: nothing was imported/],
    [[data], /contains no manifest.json/],
  ]
  for (const [args, message] of refusals) {
    const outcome = await cli(['schools', 'import', ...args])
    expect(outcome, args.join(' ')).toMatchObject({
      exitCode: expect.toSatisfy((code: number) => code > 0),
      err: expect.stringMatching(message),
    })
    expect(await state()).toEqual(before)
  }
  const stranger = await install('other', 'another root secret that is long enough to be one')
  expect(await stranger.cli(['schools', 'import', exported])).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining('SECRET_KEY does not decrypt'),
  })
})

test('an export with a row or a file of another school is refused, and changes no school of the installation', async () => {
  const target = await install('other')
  const victim = '01890000-0000-7000-8000-000000000001'
  const { school_id: own, files } = JSON.parse(await readFile(join(exported, 'manifest.json'), 'utf8'))
  const changes: [path: string, from: string, to: string][] = [
    ['tables/course.ndjson', `"school_id":"${own}"`, `"school_id":"${victim}"`],
    ['tables/school.ndjson', `"id":"${own}"`, `"id":"${victim}"`],
    ['tables/file.ndjson', `"storage_key":"${own}/`, `"storage_key":"${victim}/`],
    ['manifest.json', `"key": "${files[0].key}"`, `"key": "${victim}/stolen"`],
    ['manifest.json', '"slug": "first"', '"slug": "../first"'],
  ]
  for (const [path, from, to] of changes) {
    const before = await readFile(join(exported, path), 'utf8')
    expect([path, before.includes(from)]).toEqual([path, true])
    await writeFile(join(exported, path), before.replace(from, to))
    const outcome = await target.cli(['schools', 'import', exported])
    await writeFile(join(exported, path), before)
    expect([path, outcome]).toMatchObject([
      path,
      { exitCode: 1, err: expect.stringMatching(/belongs to another school|is not the manifest/) },
    ])
    expect(await schoolsOf(target)).toEqual([])
  }
})

test('a second copy in the same installation gets another school id, and keeps the ids of its rows', async () => {
  await source.database.sql.query('DELETE FROM certificate')
  await source.database.sql.query('UPDATE enrollment SET certificate_number = NULL')
  const output = await exportTo(source, 'first')
  const [first] = await schoolsOf(source)
  const imported = await source.cli(['schools', 'import', output, '--slug', 'second', '--issuer', 'https://second.example.org'])
  expect(imported, imported.err).toMatchObject({ exitCode: 0 })
  const second = (await schoolsOf(source)).find(({ slug }) => slug === 'second')
  expect(second?.id).not.toBe(first?.id)
  const copied = Object.entries(await rowsOf(await exportTo(source, 'second'))).map(([name, rows]): [string, string[]] => [
    name,
    rows.map((row) => row.replaceAll(String(second?.id), String(first?.id))).toSorted(),
  ])
  expect(Object.fromEntries(copied)).toEqual(await rowsOf(output))
})

test('a changed file, and tables of another release, are refused', async () => {
  const target = await install('other')
  const manifest = join(exported, 'manifest.json')
  const before = await readFile(manifest, 'utf8')
  await writeFile(manifest, before.replace('"columns": {', '"columns": { "later": "text",'))
  expect(await target.cli(['schools', 'import', exported])).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining('whose tables differ'),
  })
  await writeFile(
    manifest,
    before.replace(/(?<="sha256": ")./, (digit) => (digit === '0' ? '1' : '0')),
  )
  expect(await target.cli(['schools', 'import', exported])).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining('the export is damaged'),
  })
  await writeFile(manifest, before)
  expect(await schoolsOf(target)).toEqual([])
})
