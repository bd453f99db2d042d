import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { get } from '../support/agent.ts'
import { availableServices, migrationsDirectory, throwawayPostgres } from '../support/databases.ts'
import { hasNginx, type Nginx, startNginx } from '../support/nginx.ts'
import { until } from '../support/poll.ts'
import { createHome, freePort, type Home, rootSecret, type ServiceProcess, startProcess } from '../support/process.ts'
import { addLoadPeople, startMixedLoad } from './mixedLoad.ts'
import { createRelease, type Release } from './nextRelease.ts'

const { postgresql, redis: hasRedis } = await availableServices()
const redisUrl = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379'
const newest = readdirSync(migrationsDirectory, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .toSorted()
  .at(-1) as string

const header = (locks: string, from = newest): string => `-- Works with releases from: ${from}\n-- Locks: ${locks}\n`

/** Every table gets a column; a table, a constraint, an index of a large table and a change of its rows follow. */
const compatible = (tables: readonly string[]): Record<string, string> => ({
  ...Object.fromEntries(
    tables.map((table, index) => [
      `20990101000000_column_${String(index).padStart(3, '0')}`,
      `${header(`ACCESS EXCLUSIVE on ${table}`)}ALTER TABLE "${table}" ADD COLUMN "added_later" TEXT DEFAULT 'unset';\n`,
    ]),
  ),
  '20990101000001_table': `${header('SHARE ROW EXCLUSIVE on school')}CREATE TABLE "later" ("school_id" UUID PRIMARY KEY REFERENCES "school");\n`,
  '20990101000002_constraint': `${header('ACCESS EXCLUSIVE on course')}ALTER TABLE "course" ADD CONSTRAINT "later" CHECK ("title" <> '') NOT VALID;\n`,
  '20990101000003_index': `${header('SHARE UPDATE EXCLUSIVE on audit_log')}CREATE INDEX CONCURRENTLY "later_index" ON "audit_log" ("added_later", "id");\n`,
  '20990101000004_rows': `${header('ROW EXCLUSIVE on audit_log')}DO $$ BEGIN
LOOP
  UPDATE "audit_log" SET "added_later" = 'set' WHERE ctid = ANY (ARRAY(SELECT ctid FROM "audit_log" WHERE "added_later" = 'unset' LIMIT 50));
  EXIT WHEN NOT FOUND;
  COMMIT;
END LOOP;
END $$;\n`,
  '20990101000005_validated': `${header('SHARE UPDATE EXCLUSIVE on course')}ALTER TABLE "course" VALIDATE CONSTRAINT "later";\n`,
})

describe.runIf(postgresql && hasRedis && (await hasNginx()))('two processes behind nginx', () => {
  let home: Home
  let database: Awaited<ReturnType<typeof throwawayPostgres>>
  let nginx: Nginx
  let issuer: string
  let next: Release
  let after: Release
  const [ports, processes]: [number[], ServiceProcess[]] = [[], []]
  /** Also those that were replaced. */
  const started: ServiceProcess[] = []
  const undo: (() => Promise<unknown>)[] = []
  const start = async (index: number, release?: Release): Promise<ServiceProcess> => {
    const service = await startProcess({
      home,
      port: ports[index] as number,
      environment: { DATABASE_URL: database.url, REDIS_URL: redisUrl, DEMO: 'off' },
      ...(release && { folder: release.folder }),
    })
    started.push(service)
    return service
  }
  /** Returns the warnings and errors of all processes. */
  const reports = (): string[] => started.flatMap((one) => one.output().match(/^\{"level":[456]0,.*$/gm) ?? [])
  const replace = async (index: number, release?: Release): Promise<void> => {
    expect(await processes[index]?.stop()).toBe(0)
    const service = await start(index, release)
    processes[index] = service
    await until(() => service.output().includes('/api/oauth/userinfo'), { what: 'nginx to use the process' })
  }
  const variables = (): Record<string, string> => ({
    DATABASE_URL: database.url,
    REDIS_URL: redisUrl,
    CONFIG_DIR: home.config,
    DATA_DIR: home.data,
    SECRET_KEY: rootSecret,
  })
  const readiness = (index: number) => get(`${processes[index]?.admin}/readyz`)

  beforeAll(async () => {
    database = await throwawayPostgres()
    undo.push(() => database.drop())
    const store = await openDatabase({ databaseUrl: database.url, dataDirectory: tmpdir(), poolSize: 1 })
    const tables = await store.sql.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname NOT LIKE '\\_%' ORDER BY 1`,
    )
    await store.close()
    const added = compatible(tables.map(({ name }) => name))
    next = await createRelease(added)
    after = await createRelease({
      ...added,
      '20990201000000_incompatible': `${header('ACCESS EXCLUSIVE on course', 'this')}ALTER TABLE "course" RENAME COLUMN "added_later" TO "moved";\n`,
    })
    undo.push(
      () => next.remove(),
      () => after.remove(),
    )
    const port = await freePort()
    issuer = `https://127.0.0.1:${port}`
    home = await createHome({ issuer, server: { drain_seconds: 1, trusted_proxies: ['loopback'] } })
    undo.push(() => home.remove())
    ports.push(await freePort(), await freePort())
    nginx = await startNginx({ port, plainPort: await freePort(), upstreams: ports })
    undo.push(() => nginx.stop())
    processes.push(await start(0))
    processes.push(await start(1))
    undo.push(async () => {
      for (const service of processes) await service.kill()
    })
    await addLoadPeople(database.url)
  })
  afterAll(async () => {
    for (const step of undo.reverse()) await step()
  })

  test('serve every request while the migrations of the next release are applied, through its rollout, and through the rollback', async () => {
    const load = await startMixedLoad(issuer, database.url)
    const unready: unknown[] = []
    let [checks, isOver] = [0, false]
    const watch = async (): Promise<void> => {
      while (!isOver) {
        for (const index of [0, 1]) {
          const { status, body } = await readiness(index)
          checks += 1
          if (status !== 200) unready.push(body)
        }
      }
    }
    const requested = (counts: Readonly<Record<string, number>>) =>
      until(() => Object.entries(load.counts()).every(([name, count]) => count > (counts[name] ?? 0)), { what: 'every kind of request' })
    try {
      await until(() => (load.counts().flow ?? 0) > 0, { what: 'the first flow of openid-client' })
      const watching = watch()
      const planned = await next.schoolgate(['migrate', 'plan', '--json'], variables())
      expect([planned.code, planned.output]).toEqual([0, expect.stringContaining('20990101000003_index')])
      expect(JSON.parse(planned.output).filter((one: { while_serving: string }) => one.while_serving !== 'yes')).toEqual([])
      expect(await next.schoolgate(['migrate', 'up', '--while-serving'], variables())).toMatchObject({ code: 0 })
      // Every statement runs on the new schema, also those that are prepared.
      await requested({ ...load.counts() })
      isOver = true
      await watching
      expect({ unready, checks: checks > 10 }).toEqual({ unready: [], checks: true })
      for (const release of [next, undefined]) for (const index of [0, 1]) await replace(index, release)
      await requested({ ...load.counts() })
    } finally {
      isOver = true
      await load.stop()
    }
    expect(load.failures, [await nginx.errors(), ...reports()].join('\n')).toEqual([])
    expect(await load.lost()).toEqual([])
    const { code, output } = await next.schoolgate(['migrate', 'status'], variables())
    expect([code, output]).toEqual([0, expect.not.stringContaining('pending')])
  })

  test('stop being ready, with a reason, after a migration with which they do not work; it is not applied while they serve', async () => {
    const refused = await after.schoolgate(['migrate', 'up', '--while-serving'], variables())
    expect(refused).toMatchObject({
      code: 1,
      output: expect.stringContaining('not applied: 20990201000000_incompatible, because no earlier release works with it'),
    })
    for (const index of [0, 1]) expect((await readiness(index)).status).toBe(200)
    expect(await after.schoolgate(['migrate', 'up'], variables())).toMatchObject({ code: 0 })
    const reason =
      'the database has migration 20990201000000_incompatible, with which no earlier release works. Run the release that brought it'
    for (const index of [0, 1]) {
      await until(async () => (await readiness(index)).status === 503, { what: 'readiness to end' })
      expect((await readiness(index)).body).toMatchObject({ checks: { migrations: expect.stringContaining(reason) } })
    }
    for (const release of [next, undefined]) await expect(start(0, release)).rejects.toThrow('20990201000000_incompatible')
    expect(await processes[0]?.stop()).toBe(0)
    processes[0] = await start(0, after)
    expect((await readiness(0)).status).toBe(200)
  })
})
