import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { availableServices, throwawayPostgres } from '../support/databases.ts'
import { until } from '../support/poll.ts'
import { createHome, type Home, rootSecret, startProcess } from '../support/process.ts'

const root = resolve(import.meta.dirname, '../..')
const preload = pathToFileURL(join(root, 'test/support/listModules.ts')).href
const isPrisma = /\/node_modules\/@prisma\/|\/pglite-prisma-adapter\/|\/src\/gen\/prisma\//

/** Modules that a process with PostgreSQL and Redis loads only when a request needs them. */
const loadedLate = {
  Prisma: isPrisma,
  // prom-client loads the interface of OpenTelemetry, which records nothing by itself.
  'the exporter of traces': /@opentelemetry\/(?!api\/)|otlpTracing/,
  'the embedded database': /\/@electric-sql\/pglite\/|\/src\/database\/connection\/embedded\.ts/,
  'the SDK of MCP': /\/@modelcontextprotocol\//,
  'the formatter of the log': /\/pino-pretty\//,
  'the mail client': /\/nodemailer\//,
  'the client of S3': /\/@aws-sdk\/|\/flydrive\/.*\/s3|\/src\/database\/files\/bucketFiles\.ts/,
  'the dictionaries for passwords': /\/@zxcvbn-ts\/|\/passwordRule\/guessWorker\.ts/,
  'the detection of file types': /\/file-type\//,
  'the demo school': /\/makeDemoSchool/,
  'the commands of the operator': /\/src\/operate\/cli\//,
}

const { postgresql, redis } = await availableServices()

const environment = (file: string): Record<string, string> => ({ NODE_OPTIONS: `--import ${preload}`, LOADED_MODULES: file })
/** Returns the modules that a process loaded. A file of the bundle is followed by the modules that it consists of. */
async function loaded(file: string): Promise<string[]> {
  const urls = (await readFile(file, 'utf8')).split('\n').filter(Boolean)
  return (await Promise.all(urls.map(async (url) => (url.includes('/src/gen/bundle/') ? [url, ...(await modulesIn(url))] : [url])))).flat()
}

/** Reads the comments with which the modules in a file of the bundle begin. */
async function modulesIn(url: string): Promise<string[]> {
  const text = await readFile(new URL(url), 'utf8')
  return [...text.matchAll(/^\/\/ ((?:src|node_modules|views)\/\S+)$/gm)].map(([, path]) => `${url}#/${path}`)
}

/** Runs a command of the operator from the source, and returns the modules that it loads. */
async function loadedByCommand(home: Home): Promise<string[]> {
  const file = join(home.directory, 'modules-of-command.txt')
  const { status, stderr } = spawnSync(process.execPath, ['src/operate/cli/main.mjs', 'keys', 'list'], {
    cwd: root,
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      CONFIG_DIR: home.config,
      DATA_DIR: home.data,
      SECRET_KEY: rootSecret,
      RUN_FROM: 'source',
      ...environment(file),
    },
  })
  expect([status, stderr]).toEqual([0, expect.anything()])
  return loaded(file)
}

test('over the embedded database, a serving process loads no module of Prisma from its first start on; a command of the operator does', async () => {
  const home = await createHome()
  try {
    const file = join(home.directory, 'modules.txt')
    const service = await startProcess({ home, isFirstStart: true, environment: { ...environment(file), RUN_FROM: 'source' } })
    await fetch(`${service.issuer}/api/oauth/jwks`)
    await fetch(`${service.issuer}/api/v1/courses`)
    expect(await service.stop()).toBe(0)
    const serving = await loaded(file)
    expect(serving.some((url) => url.endsWith('/src/database/connection/openDatabase.ts'))).toBe(true)
    expect(serving.filter((url) => isPrisma.test(url))).toEqual([])
    expect((await loadedByCommand(home)).some((url) => isPrisma.test(url))).toBe(true)
  } finally {
    await home.remove()
  }
})

describe.runIf(postgresql && redis)('over PostgreSQL and Redis', () => {
  const forms = [
    { form: 'bundle', root: /\/src\/gen\/bundle\/runService\.js$/ },
    { form: 'source', root: /\/src\/database\/redis\/redis\.ts$/ },
  ]
  test.each(forms)(
    'a process from the $form loads the parts that few requests need on demand, such as the SDK of MCP, and no part of Prisma or OpenTelemetry',
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
            RUN_FROM: form,
            ...environment(file),
          },
        })
        const passed = async (): Promise<boolean> => {
          const report = (await (await fetch(`${service.admin}/readyz`)).json()) as { self_check: { passed: number } }
          return report.self_check.passed === 1
        }
        await until(passed, { what: 'the self-check to pass' })
        await fetch(`${service.issuer}/api/oauth/jwks`)
        await fetch(`${service.issuer}/api/v1/courses`)
        const before = await loaded(file)
        expect(before.some((url) => first.test(url))).toBe(true)
        expect(before.some((url) => /\/src\/database\/redis\/redis\.ts$/.test(url))).toBe(true)
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
        expect((await loaded(file)).some((url) => loadedLate['the SDK of MCP'].test(url))).toBe(true)
        expect(await service.stop()).toBe(0)
      } finally {
        await database.drop()
        await home.remove()
      }
    },
  )
})
