import { spawnSync } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { availableServices, throwawayPostgres } from '../support/databases.ts'
import { createHome, type Home, rootSecret, startProcess } from '../support/process.ts'

const root = resolve(import.meta.dirname, '../..')
const preload = pathToFileURL(join(root, 'test/support/listModules.ts')).href
const isPrisma = /\/node_modules\/@prisma\/|\/pglite-prisma-adapter\/|\/src\/gen\/prisma\//

const { postgresql } = await availableServices()
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
  })
  const loaded = async (file: string): Promise<string[]> => {
    const urls = (await readFile(file, 'utf8')).split('\n').filter(Boolean)
    await rm(file)
    return urls
  }

  test('a serving process loads no module of Prisma; a command of the operator does', async () => {
    const file = join(home.directory, 'modules.txt')
    const service = await startProcess({ home, environment: environment(file) })
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
