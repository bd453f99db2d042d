import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { diskFiles } from '../../../src/database/files/fileStorage.ts'
import { makeDemoSchool } from '../../../src/operate/demo/makeDemoSchool.ts'
import { readDemoBytes } from '../../../src/operate/demo/readDemoFile.ts'
import { demoFiles } from '../../../src/operate/demo/storeFiles.ts'
import { databasesToTest } from '../../support/databases.ts'
import { startService, type TestService } from '../../support/service.ts'

const now = new Date('2026-03-01T00:00:00.000Z')

test('the demo uses each of the 75 small files of its folder once', () => {
  const names = demoFiles().map(({ filename }) => filename)
  expect(names.length).toBe(75)
  expect(names.toSorted()).toEqual(readdirSync('demo/files').toSorted())
  for (const name of names) expect(readDemoBytes(name).length, name).toBeLessThan(8192)
})

describe.each(await databasesToTest())('files of the demo school on $name', ({ open }) => {
  let service: TestService
  let stop: () => Promise<void>
  beforeAll(async () => {
    const { database, drop } = await open()
    const directory = await mkdtemp(join(tmpdir(), 'schoolgate-demo-files-'))
    const storage = diskFiles(directory)
    service = await startService({ database, storage })
    const school = service.app.schools.all[0]?.school
    if (!school) throw new Error('no school')
    await makeDemoSchool(database, { school, now, storage, hashPassword: async () => 'none' })
    stop = async () => {
      await service.stop()
      await drop()
      await rm(directory, { recursive: true })
    }
  })
  afterAll(() => stop())

  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came
  const get = async (path: string): Promise<any> => (await fetch(`${service.issuer}${path}`)).json()

  test('every picture that a visitor sees answers 200 with its own type and size', async () => {
    const lists = await Promise.all(['courses', 'lecturers'].map((name) => get(`/api/v1/${name}?limit=100`)))
    const { logo, logo_dark, favicon, cover, social_image } = await get('/api/v1/appearance')
    const rows = lists.flatMap(({ data }) => data as Record<string, { url: string }>[])
    const pictures = [logo, logo_dark, favicon, cover, social_image, ...rows.flatMap((row) => [row.cover_image, row.avatar ?? []].flat())]
    expect(pictures.length).toBe(5 + 10 + 5 * 2)
    for (const { url, width } of pictures) {
      const answer = await fetch(url)
      const bytes = Buffer.from(await answer.arrayBuffer())
      expect([answer.status, answer.headers.get('content-type'), bytes.length > 0, width > 0]).toEqual([
        200,
        url.endsWith('.png') ? 'image/png' : 'image/svg+xml',
        true,
        true,
      ])
    }
  })

  test('the sign-in page shows the lantern, and every file is used somewhere and counted', async () => {
    const sql = service.database.sql
    expect(await sql.query(`SELECT id FROM file f WHERE NOT EXISTS (SELECT 1 FROM file_reference r WHERE r.file_id = f.id)`)).toEqual([])
    const [used] = await sql.query(
      `SELECT (SELECT bytes FROM storage_usage)::int = (SELECT sum(bytes) FROM file)::int AS is_right,
              (SELECT count(*) FROM lesson WHERE cardinality(attachment_file_ids) > 0)::int AS lessons`,
    )
    expect(used).toEqual({ is_right: true, lessons: 31 })
    const [{ logo_file_id } = { logo_file_id: null }] = await sql.query<{ logo_file_id: string | null }>(
      'SELECT logo_file_id FROM appearance',
    )
    expect(logo_file_id).not.toBeNull()
  })
})
