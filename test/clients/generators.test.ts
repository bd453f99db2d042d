// Proves OpenAPI 3.0: Six generators of clients read the OpenAPI document with the documented settings, what they generate compiles with `strict`, and a generated client works

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAgent, personCalled } from '../support/agent.ts'
import { startService, type TestService } from '../support/service.ts'
import { type Generator, generators, generatorTable, kubbProgram } from './generators.ts'

const root = resolve(import.meta.dirname, '../..')
const packages = resolve(import.meta.dirname, 'node_modules')
const run = promisify(execFile)

let service: TestService
let directory: string
beforeAll(async () => {
  service = await startService()
  directory = await mkdtemp(join(tmpdir(), 'schoolgate-generators-'))
  await symlink(packages, join(directory, 'node_modules'))
  const description = await fetch(`${service.issuer}/openapi.json`)
  await Promise.all([
    writeFile(join(directory, 'package.json'), '{"type":"module"}'),
    writeFile(join(directory, 'api.json'), await description.text()),
    writeFile(join(directory, 'kubb.mjs'), kubbProgram),
    mkdir(join(directory, 'zod')),
  ])
  // The generated client needs the versions of Zod and Zodios with which its generator works.
  await symlink(join(packages, 'openapi-zod-client/node_modules'), join(directory, 'zod/node_modules'))
})
afterAll(async () => {
  await rm(directory, { recursive: true, force: true })
  await service?.stop()
})

const settings = [
  ...['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--target', 'es2023', '--lib', 'es2023,dom,dom.iterable'],
  ...['--module', 'esnext', '--moduleResolution', 'bundler', '--types', 'node', '--allowImportingTsExtensions'],
  ...['--typeRoots', join(root, 'node_modules/@types')],
]

/** Compiles with the strict settings. The promise rejects with what the compiler finds. */
const compile = (entry: string) =>
  run(process.execPath, [join(root, 'node_modules/@typescript/native/bin/tsc'), ...settings, join(directory, entry)], {
    maxBuffer: 2 ** 26,
  })

describe('a generator with the documented settings', () => {
  const compiling: Generator[] = []
  afterAll(async () => {
    const { dependencies } = JSON.parse(await readFile(join(import.meta.dirname, 'package.json'), 'utf8'))
    process.stdout.write(`${generatorTable(dependencies, compiling)}\n`)
  })

  test.each(generators)('$package reads the description, and what it generates compiles', async (generator) => {
    const { command, entry } = generator
    const [program = '', ...args] = command
    const path = program === 'node' ? process.execPath : join(packages, '.bin', program)
    await run(path, args, { cwd: directory, maxBuffer: 2 ** 26 })
    expect(existsSync(join(directory, entry))).toBe(true)
    await expect(compile(entry)).resolves.toMatchObject({ stdout: '' })
    compiling.push(generator)
  })
})

/** A program of an integrator with the client that @hey-api/openapi-ts generates. It prints its responses. */
const program = `
import { createCourse, deleteCourse, getCourse, listCourses, updateCourse } from './hey/index'
import { client } from './hey/client.gen'

const [baseUrl = '', token = ''] = process.argv.slice(2)
client.setConfig({ baseUrl, auth: () => token })

const created = await createCourse({ body: { title: 'Bread', price: { amount: 1900, currency: 'EUR' }, access: 'paid' } })
const id_or_slug = created.data?.id ?? ''
const listed = await listCourses({ query: { limit: 2, status: ['draft'] } })
const found = await getCourse({ path: { id_or_slug } })
const changed = await updateCourse({
  path: { id_or_slug },
  headers: { 'If-Match': found.response?.headers.get('etag') ?? '' },
  body: { subtitle: 'From flour to loaf' },
})
const refused = await updateCourse({ path: { id_or_slug }, headers: { 'If-Match': '"1-s-00000000"' }, body: { subtitle: null } })
const removed = await deleteCourse({ path: { id_or_slug } })
console.log(JSON.stringify({
  created: created.data?.price?.amount,
  listed: listed.data?.data.map(({ title }) => title),
  changed: [changed.data?.subtitle, changed.data?.status],
  refused: refused.error?.error,
  removed: removed.response?.status,
}))
`

test('a generated client calls five operations', async () => {
  await writeFile(join(directory, 'program.ts'), program)
  await expect(compile('program.ts')).resolves.toMatchObject({ stdout: '' })
  const bundle = await rolldown({ input: join(directory, 'program.ts'), platform: 'node' })
  await bundle.write({ file: join(directory, 'program.mjs'), format: 'esm' })
  await service.addPerson({ email: 'owner@example.com', role: 'owner' })
  const agent = await createAgent(service.issuer)
  const scope = 'openid courses:read courses:write'
  const { body: tokens } = await agent.tokens(personCalled('owner@example.com'), { scope }, { scopes: 'all' })
  const { stdout } = await run(process.execPath, [join(directory, 'program.mjs'), service.issuer, tokens.access_token])
  expect(JSON.parse(stdout)).toEqual({
    created: 1900,
    listed: ['Bread'],
    changed: ['From flour to loaf', 'draft'],
    refused: 'precondition_failed',
    removed: 204,
  })
})
