import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../src/database/connection/database.ts'
import { openDatabase } from '../../../src/database/connection/openDatabase.ts'
import { requireOwnStorage } from '../../../src/database/files/fileStorage.ts'
import { openFileStorage } from '../../../src/database/files/openFileStorage.ts'
import { availableServices, embeddedDatabase, throwawayPostgres, unpackEmbedded } from '../../support/databases.ts'
import { digestsOf, fillEveryTable } from '../../support/everyTable.ts'
import { rootSecret } from '../../support/service.ts'
import { type Cli, createCli, schoolFile, writeConfig } from './cli.ts'

const { postgresql } = await availableServices()
const kinds = ['embedded', ...(postgresql ? ['postgresql'] : [])] as const
const undo: (() => unknown)[] = []
afterAll(async () => {
  for (const step of undo.reverse()) await step()
})

interface Installation {
  directory: string
  database: Database
  cli: Cli
}

/** Creates a configuration and a data directory. */
async function folders(): Promise<{ directory: string; variables: Record<string, string> }> {
  const config = await writeConfig({ 'schools/first.yaml': schoolFile('https://first.example.com', 'First School') })
  const directory = await mkdtemp(join(tmpdir(), 'schoolgate-data-'))
  undo.push(() => Promise.all([config, directory].map((one) => rm(one, { recursive: true }))))
  return { directory, variables: { CONFIG_DIR: config, DATA_DIR: directory, SECRET_KEY: rootSecret } }
}

/** Opens a database of a kind, with a configuration and a data directory. The embedded one is that of the command. */
async function install(kind: string, { migrated = true } = {}): Promise<Installation> {
  const { directory, variables } = await folders()
  if (kind === 'embedded') {
    const database = migrated ? await embeddedDatabase() : await openDatabase({ dataDirectory: directory, memory: true })
    undo.push(() => database.close())
    return { directory, database, cli: createCli({ variables, database }) }
  }
  const { url, drop } = await throwawayPostgres({ migrated })
  const database = await openDatabase({ databaseUrl: url, dataDirectory: directory, poolSize: 2 })
  undo.push(drop, () => database.close())
  return { directory, database, cli: createCli({ variables: { ...variables, DATABASE_URL: url } }) }
}

async function backupOf({
  directory,
  database,
  cli,
}: Installation): Promise<{ output: string; key: string; digests: Record<string, unknown> }> {
  await fillEveryTable(database.sql, { schools: 2, rows: 5 })
  await database.sql.query('UPDATE installation SET storage_id = NULL')
  const storage = await openFileStorage(directory, undefined)
  await requireOwnStorage(database, storage)
  const [{ key } = { key: '' }] = await database.sql.query<{ key: string }>('SELECT storage_key AS key FROM file ORDER BY id LIMIT 1')
  await storage.write(key, Readable.from([Buffer.from('the bytes')]), { bytes: 9, contentType: 'text/plain' })
  const digests = await digestsOf(database)
  const output = join(await mkdtemp(join(tmpdir(), 'schoolgate-backup-')), 'backup')
  undo.push(() => rm(join(output, '..'), { recursive: true }))
  const created = await cli(['backup', 'create', '--output', output])
  expect(created, created.err).toMatchObject({ exitCode: 0, out: expect.stringMatching(/contains \d+ rows and 2 files/) })
  return { output, key, digests }
}

describe.each(kinds)('a backup of a database (%s)', (kind) => {
  test('can be verified, and restores every row and every file into an empty database of either kind', async () => {
    const { output, key, digests } = await backupOf(await install(kind))
    for (const other of kinds) {
      const empty = await install(other, { migrated: false })
      const verified = await empty.cli(['backup', 'verify', output])
      expect(verified, verified.err).toMatchObject({ exitCode: 0, out: expect.stringContaining('can be restored') })
      expect(await empty.cli(['backup', 'restore', output])).toMatchObject({ exitCode: 2 })
      const restored = await empty.cli(['backup', 'restore', output, '--yes'])
      expect(restored, restored.err).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^restored: \d+ rows and 2 files/) })
      // The restore is recorded.
      const { audit_log: _audit, installation: _installation, ...others } = digests
      expect(await digestsOf(empty.database)).toMatchObject(others)
      const { sql } = empty.database
      expect(
        await sql.query(
          `SELECT DISTINCT details->>'how' AS how, details->>'operator' AS operator FROM audit_log WHERE event = 'operator.restored'`,
        ),
      ).toEqual([{ how: 'backup restore', operator: 'ops' }])
      expect(await sql.query('SELECT 1 FROM installation WHERE held_since IS NOT NULL AND restored_at IS NOT NULL')).toHaveLength(1)
      const storage = await openFileStorage(empty.directory, undefined)
      await requireOwnStorage(empty.database, storage)
      const contents = await storage.read(key)
      expect(contents && (await buffer(contents)).toString()).toBe('the bytes')
      expect(await empty.cli(['backup', 'restore', output, '--yes'])).toMatchObject({
        exitCode: 1,
        err: expect.stringContaining('contains data'),
      })
    }
  })
})

test('a backup with a changed row, a changed file, a missing file or without its manifest is found', async () => {
  const { output, key } = await backupOf(await install('embedded'))
  const { cli } = await install('embedded')
  const damages: [path: string, message: RegExp][] = [
    ['tables/course.ndjson', /rows of course differ from the manifest/],
    [`files/${key}`, /1 files differ from the manifest/],
    ['manifest.json', /not the manifest of a backup/],
  ]
  for (const [path, message] of damages) {
    const before = await readFile(join(output, path))
    if (path.endsWith('.ndjson')) await writeFile(join(output, path), String(before).replace('row ', 'now '))
    else await appendFile(join(output, path), '!')
    expect(await cli(['backup', 'verify', output])).toMatchObject({ exitCode: 1, err: expect.stringMatching(message) })
    await rm(join(output, path))
    expect((await cli(['backup', 'verify', output])).exitCode).toBe(1)
    await writeFile(join(output, path), before)
  }
  expect((await cli(['backup', 'verify', output])).exitCode).toBe(0)
})

test('a manifest whose keys lead out of its directory is refused: nothing is read or written elsewhere', async () => {
  const { output, key } = await backupOf(await install('embedded'))
  const { cli, directory } = await install('embedded', { migrated: false })
  const manifest = join(output, 'manifest.json')
  const text = await readFile(manifest, 'utf8')
  for (const wrong of ['a/../../../stolen', 'a/..', '../stolen', '/etc/stolen', 'a/./b', 'a//b', 'a\\\\..\\\\b']) {
    await writeFile(manifest, text.replace(key, wrong))
    expect([wrong, await cli(['backup', 'restore', output, '--yes'])]).toMatchObject([
      wrong,
      { exitCode: 1, err: expect.stringContaining('not the manifest of a backup') },
    ])
  }
  expect((await readdir(directory, { recursive: true })).filter((name) => name.includes('stolen'))).toEqual([])
})

test('the embedded database of a data directory is backed up and restored by the commands alone', async () => {
  const { directory, variables } = await folders()
  await unpackEmbedded(directory)
  const output = join(directory, 'backup')
  const created = await createCli({ variables })(['backup', 'create', '--output', output])
  expect(created, created.err).toMatchObject({ exitCode: 0 })
  const other = createCli({ variables: { ...variables, DATA_DIR: (await folders()).directory } })
  const restored = await other(['backup', 'restore', output, '--yes'])
  expect(restored, restored.err).toMatchObject({ exitCode: 0 })
  expect(await other(['schools', 'list', '--json'])).toMatchObject({ exitCode: 0 })
})
