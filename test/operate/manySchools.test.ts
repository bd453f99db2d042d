import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { createKeyring } from '../../src/base/keyring.ts'
import { createLog } from '../../src/base/log/log.ts'
import type { Config } from '../../src/config/load.ts'
import type { Database } from '../../src/database/connection/database.ts'
import { makeMissingKeys } from '../../src/identity/oidc/signingKeys.ts'
import { openSchools, syncAllClients } from '../../src/operate/compose/schools.ts'
import { signingKeyJob } from '../../src/operate/serve/jobs.ts'
import { createStores } from '../../src/operate/serve/open.ts'
import { createSigningKeyCheck } from '../../src/operate/serve/signingKeyCheck.ts'
import { openTestDatabase } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { loadTestConfig, startService } from '../support/service.ts'

const keyring = createKeyring(['a root secret for tests that is long enough to be taken'])
const integration = {
  client_id: 'reports',
  client_name: 'Reports',
  redirect_uris: ['https://reports.example.com/callback'],
  token_endpoint_auth_method: 'none',
}

const opened = duringTests(openTestDatabase)
let database: Database
let directory: string
beforeAll(async () => {
  database = opened.database
  directory = await mkdtemp(join(tmpdir(), 'schoolgate-many-'))
})
afterAll(async () => {
  await rm(directory, { recursive: true, force: true })
})

/** A configuration with this many schools, whose slugs begin with `prefix`. Each has the integration. */
async function configOf(prefix: string, count: number): Promise<Config> {
  const home = join(directory, prefix)
  await mkdir(join(home, 'schools'), { recursive: true })
  for (let index = 0; index < count; index += 1) {
    const school = {
      issuer: `http://127.0.${index}.9`,
      integrations: [integration],
      defaults: { name: `School ${index}`, locale: 'en', time_zone: 'UTC', currency: 'EUR' },
    }
    await writeFile(join(home, `schools/${prefix}-${index}.yaml`), stringify(school))
  }
  return await loadTestConfig(home)
}

/** The same database, which counts the statements that run on it. */
function counting({ kysely, ...others }: Database): { counted: Database; statements(): number } {
  let statements = 0
  const plugin = {
    transformQuery: ({ node }: { node: never }) => {
      statements += 1
      return node
    },
    transformResult: async ({ result }: { result: never }) => result,
  }
  return { counted: { ...others, kysely: kysely.withPlugin(plugin as never) }, statements: () => statements }
}

const open = async (config: Config): Promise<number> => {
  const { counted, statements } = counting(database)
  const schools = await openSchools(counted, config)
  const stores = createStores({ database: counted, redis: undefined, oauth: config.oauth, log: createLog('silent') })
  await syncAllClients(stores, schools, config.oauth)
  return statements()
}

describe('opening many schools', () => {
  test('takes the same number of statements for two and for twenty schools that exist', async () => {
    const [few, many] = [await configOf('few', 2), await configOf('many', 20)]
    for (const config of [few, many]) await open(config)
    const statements = await open(few)
    expect(statements).toBeGreaterThan(0)
    expect(await open(many)).toBe(statements)
  })

  test('creates each school once, with its appearance and its integration, also when two processes do it at the same time', async () => {
    const config = await configOf('twice', 5)
    await Promise.all([open(config), open(config)])
    for (const table of ['appearance', 'oidc_client']) {
      const rows = await database.sql.query<{ count: string }>(
        `SELECT count(*) FROM ${table} JOIN school ON school.id = school_id WHERE school.slug LIKE 'twice-%'`,
      )
      expect([table, Number(rows[0]?.count)]).toEqual([table, 5])
    }
  })
})

describe('the signing keys of new schools', () => {
  let schoolIds: string[]
  beforeAll(async () => {
    schoolIds = (await openSchools(database, await configOf('keys', 3))).all.map(({ school }) => school.id)
  })
  const job = () => signingKeyJob({ database, keyring, schools: () => schoolIds, keepHours: () => 24 })
  const algorithms = () =>
    database.sql.query<{ school_id: string; alg: string }>(
      'SELECT school_id, alg FROM signing_key WHERE school_id = ANY($1::uuid[]) ORDER BY school_id, alg',
      [schoolIds],
    )

  test('are created by a job: one of each algorithm, and only what is missing', async () => {
    const [first = ''] = schoolIds
    await makeMissingKeys({ database, keyring, schoolId: first })
    const before = await algorithms()
    expect(before.map(({ alg }) => alg)).toEqual(['ES256', 'RS256'])
    expect(await job().run()).toEqual({ created: 2 })
    expect((await algorithms()).map(({ school_id, alg }) => `${school_id} ${alg}`)).toEqual(
      schoolIds.toSorted().flatMap((id) => [`${id} ES256`, `${id} RS256`]),
    )
    expect(await job().run()).toEqual({ created: 0 })
  })

  test('are checked against SECRET_KEY: one changed key of one school is reported, and passes again when it is repaired', async () => {
    await job().run()
    const slugs = ['keys-0', 'keys-1', 'keys-2']
    const check = createSigningKeyCheck({ database: database.kysely, keyring, schools: () => slugs, keepHours: () => 24 })
    await check()
    await check()
    const [, , third = ''] = schoolIds
    const ofThird = "WHERE alg = 'ES256' AND school_id = $1"
    const [key] = await database.sql.query<{ private_jwk: string }>(`SELECT private_jwk FROM signing_key ${ofThird}`, [third])
    await database.sql.query(`UPDATE signing_key SET private_jwk = 'spoiled' ${ofThird}`, [third])
    await expect(check()).rejects.toThrow('SECRET_KEY does not open the signing keys of keys-2.')
    await expect(check()).rejects.toThrow('keys-2')
    await database.sql.query(`UPDATE signing_key SET private_jwk = $2 ${ofThird}`, [third, key?.private_jwk])
    await check()
  })
})

test('a new school has the branding of its file, which is read once', async () => {
  const defaultsWith = (theme: string) => ({ name: 'Bright', locale: 'en', time_zone: 'UTC', currency: 'EUR', branding: { theme } })
  const service = await startService({ school: { defaults: defaultsWith('journal') } })
  const findTheme = async () => ((await (await fetch(`${service.issuer}/api/v1/appearance`)).json()) as { theme: string }).theme
  expect(await findTheme()).toBe('journal')
  await service.reload({ school: { defaults: defaultsWith('studio') } })
  expect(await findTheme()).toBe('journal')
  await service.stop()
})
