import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/store/database.ts'
import { openDatabase } from '../../src/store/openDatabase.ts'
import { availableServices, embeddedDatabase, throwawayPostgres } from '../support/databases.ts'
import { type Cli, createCli, schoolFile, writeConfig } from './cli.ts'

interface Place {
  cli: Cli
  database: Database
  drop(): Promise<void>
}

async function open(databaseUrl?: string): Promise<Omit<Place, 'drop'> & { close(): Promise<void> }> {
  const directory = await writeConfig({ 'schools/demo.yaml': schoolFile('http://127.0.0.1:3000', 'Demo School') })
  const variables = {
    CONFIG_DIR: directory,
    DATA_DIR: `${directory}/.data`,
    SECRET_KEY: 'a root secret that is long enough to be taken',
    DEMO_NOW: '2026-03-01T00:00:00.000Z',
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
  }
  const database = databaseUrl ? await openDatabase({ databaseUrl, dataDirectory: directory }) : await embeddedDatabase()
  return {
    cli: createCli({ variables, ...(databaseUrl ? {} : { database }) }),
    database,
    async close() {
      await database.close()
      await rm(directory, { recursive: true })
    },
  }
}

const places = [
  {
    name: 'the embedded database',
    largest: 100,
    open: async (): Promise<Place> => {
      const { close, ...place } = await open()
      return { ...place, drop: close }
    },
  },
  {
    name: 'PostgreSQL',
    largest: 10_000,
    open: async (): Promise<Place> => {
      const { url, drop } = await throwawayPostgres()
      const { close, ...place } = await open(url)
      return { ...place, drop: () => close().then(drop) }
    },
  },
]
const { postgresql } = await availableServices()

describe.each(postgresql ? places : places.slice(0, 1))('demo load --scale on $name', ({ largest, open }) => {
  let place: Place
  beforeAll(async () => {
    place = await open()
  })
  afterAll(() => place.drop())

  const people = () => place.database.sql.query<{ id: string }>('SELECT * FROM person ORDER BY id')

  test.each(['0', '-1', 'x', '1.5', '1e3', '', ' 2', '99999999999', 'NaN', '٢'])(
    'refuses the scale %j and makes nothing',
    async (scale) => {
      const refused = await place.cli(['demo', 'load', `--scale=${scale}`])
      expect(refused).toMatchObject({ exitCode: 2, out: '', err: expect.stringContaining('--scale') })
      expect(await people()).toEqual([])
    },
  )

  test('refuses what is too large for this database and names the largest', async () => {
    const refused = await place.cli(['demo', 'load', '--scale', String(largest + 1)])
    expect(refused).toMatchObject({ exitCode: 2, err: expect.stringContaining(`at most ${largest}`) })
    expect(await people()).toEqual([])
  })

  test('multiplies the people by the number, keeps the proportions, and adds nothing a second time', async () => {
    const loaded = await place.cli(['demo', 'load', '--scale', '3'])
    expect(loaded, loaded.err).toMatchObject({ exitCode: 0, out: expect.stringContaining('people: 840 added') })
    const [counts] = await place.database.sql.query(
      `SELECT count(*) FILTER (WHERE is_student)::int AS students, count(*) FILTER (WHERE is_member)::int AS members,
              count(*) FILTER (WHERE is_student AND is_member)::int AS both, max(created_at) < '2026-03-01' AS is_past
         FROM person`,
    )
    expect(counts).toEqual({ students: 1080, members: 900, both: 720, is_past: true })
    const made = await people()
    expect(made.length).toBe(8 + 1260)
    const byTime = await place.database.sql.query<{ id: string }>(
      'SELECT id FROM person WHERE is_student OR is_member ORDER BY created_at, id',
    )
    expect(byTime.map(({ id }) => id)).toEqual(made.slice(8).map(({ id }) => id))
    const [school] = await place.database.sql.query<{ counts: Record<string, number> }>('SELECT counts FROM school')
    expect(school?.counts).toMatchObject({ students: 1080, members: 900 })

    const again = await place.cli(['demo', 'load', '--scale', '3'])
    expect(again).toMatchObject({ exitCode: 0, out: expect.stringContaining('people: 0 added') })
    expect(await people()).toEqual(made)
  })

  test('completes a run that was broken off, and leaves a person alone who has such an address already', async () => {
    await place.database.sql.query(`DELETE FROM person WHERE email IN ('learner500@example.org', 'learner501@example.org')`)
    await place.database.sql.query(`UPDATE person SET email = 'learner501@example.org' WHERE email = 'admin1@example.com'`)
    expect(await place.cli(['demo', 'load', '--scale', '3'])).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining('people: 1 added'),
    })
    const names = await place.database.sql.query(`SELECT name FROM person WHERE email = 'learner501@example.org'`)
    expect(names).toEqual([{ name: 'Rowan Inkpen' }])
  })

  test("a school with one's own people keeps them when it grows, and the trail says what was done", async () => {
    const before = await people()
    expect(await place.cli(['demo', 'load', '--scale', '4'])).toMatchObject({ exitCode: 0, out: expect.stringContaining('people: 42') })
    const after = await people()
    const ids = new Map(after.map((person) => [person.id, person]))
    expect(before.map((person) => ids.get(person.id))).toEqual(before)
    const events = await place.database.sql.query<{ details: object }>(
      `SELECT details FROM audit_log WHERE event = 'operator.demo_scaled' ORDER BY id`,
    )
    expect(events.at(-1)?.details).toMatchObject({ scale: 4, operator: 'ops' })
  })

  test('the help names the option, its bounds and an example', async () => {
    const { out } = await place.cli(['demo', 'load', '--help'])
    expect(out.replace(/\s+/g, ' ')).toMatch(/--scale <n>.*10000.*100.*demo load --scale 1000/)
  })
})
