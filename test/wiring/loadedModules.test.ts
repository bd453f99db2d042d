import { spawnSync } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { availableServices, throwawayPostgres } from '../support/databases.ts'
import { until } from '../support/poll.ts'
import { createHome, type Home, rootSecret, startProcess } from '../support/process.ts'

const root = resolve(import.meta.dirname, '../..')
const preload = pathToFileURL(join(root, 'test/support/listModules.ts')).href
const isPrisma = /\/node_modules\/@prisma\/|\/pglite-prisma-adapter\/|\/src\/gen\/prisma\//

/** Modules that a process with PostgreSQL and Redis loads only when a request needs them. */
const loadedLate = {
  'the embedded database': /\/@electric-sql\/pglite\/|\/src\/store\/embedded\.ts/,
  'the SDK of MCP': /\/@modelcontextprotocol\//,
  'the formatter of the log': /\/pino-pretty\//,
  'the mail client': /\/nodemailer\//,
  'the client of S3': /\/@aws-sdk\/|\/flydrive\/.*\/s3|\/src\/store\/bucketFiles\.ts/,
  'the dictionaries for passwords': /\/@zxcvbn-ts\/|\/passwordRule\/guessWorker\.ts/,
  'the detection of file types': /\/file-type\//,
  'the demo school': /\/makeDemoSchool/,
  'the commands of the operator': /\/src\/cli\/|\/bundle\/(commandLine|program-)/,
}

const { postgresql, redis } = await availableServices()
const kinds = [
  { name: 'embedded', open: async () => ({ variables: {}, drop: async () => undefined }) },
  ...(postgresql
    ? [
        {
          name: 'postgresql',
          open: async () => {
            const { url, drop } = await throwawayPostgres()
            return { variables: { DATABASE_URL: url }, drop }
          },
        },
      ]
    : []),
]

describe.each(kinds)('over the $name database', ({ open }) => {
  let home: Home
  let database: { variables: Record<string, string>; drop(): Promise<unknown> }
  beforeAll(async () => {
    home = await createHome()
    database = await open()
  })
  afterAll(async () => {
    await home.remove()
    await database.drop()
  })

  const environment = (file: string): Record<string, string> => ({
    ...database.variables,
    NODE_OPTIONS: `--import ${preload}`,
    LOADED_MODULES: file,
    RUN_FROM: 'source',
  })
  const loaded = async (file: string): Promise<string[]> => {
    const urls = (await readFile(file, 'utf8')).split('\n').filter(Boolean)
    await rm(file)
    return urls
  }

  test('a serving process loads no module of Prisma; a command of the operator does', async () => {
    const file = join(home.directory, 'modules.txt')
    const service = await startProcess({ home, isFirstStart: true, environment: environment(file) })
    await fetch(`${service.issuer}/api/oauth/jwks`)
    await fetch(`${service.issuer}/api/v1/courses`)
    expect(await service.stop()).toBe(0)
    const serving = await loaded(file)
    expect(serving.some((url) => url.endsWith('/src/store/openDatabase.ts'))).toBe(true)
    expect(serving.filter((url) => isPrisma.test(url))).toEqual([])

    const { status, stderr } = spawnSync(process.execPath, ['src/cli/main.ts', 'keys', 'list'], {
      cwd: root,
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        CONFIG_DIR: home.config,
        DATA_DIR: home.data,
        SECRET_KEY: rootSecret,
        ...environment(file),
      },
    })
    expect([status, stderr]).toEqual([0, expect.anything()])
    expect((await loaded(file)).some((url) => isPrisma.test(url))).toBe(true)
  })
})

describe.runIf(postgresql && redis)('over PostgreSQL and Redis', () => {
  const forms = [
    { form: 'bundle', root: /\/src\/gen\/bundle\/runService\.js$/ },
    { form: 'source', root: /\/src\/store\/redis\.ts$/ },
  ]
  test.each(forms)(
    'a process from the $form loads the parts that few requests need on demand, such as the SDK of MCP',
    async ({ form, root: first }) => {
      const [home, database] = [await createHome(), await throwawayPostgres()]
      try {
        const file = join(home.directory, 'modules.txt')
        const service = await startProcess({
          home,
          environment: {
            DATABASE_URL: database.url,
            REDIS_URL: process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379',
            DEMO: 'off',
            NODE_OPTIONS: `--import ${preload}`,
            LOADED_MODULES: file,
            RUN_FROM: form,
          },
        })
        const passed = async (): Promise<boolean> => {
          const report = (await (await fetch(`${service.admin}/readyz`)).json()) as { self_check: { passed: number } }
          return report.self_check.passed === 1
        }
        await until(passed, { what: 'the self-check to pass' })
        const before = (await readFile(file, 'utf8')).split('\n')
        expect(before.some((url) => first.test(url))).toBe(true)
        for (const [name, modules] of Object.entries(loadedLate)) {
          expect([name, before.filter((url) => modules.test(url))]).toEqual([name, []])
        }
        const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
        const response = await fetch(`${service.issuer}/mcp`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
          body: JSON.stringify(call),
        })
        expect(response.status).toBe(200)
        expect((await readFile(file, 'utf8')).split('\n').some((url) => loadedLate['the SDK of MCP'].test(url))).toBe(true)
        expect(await service.stop()).toBe(0)
      } finally {
        await database.drop()
        await home.remove()
      }
    },
  )
})
