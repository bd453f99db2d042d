import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { get } from '../support/agent.ts'
import { buildImage, ignoreRule, type Stage } from '../support/dockerfile.ts'
import { diskBytes, maxMegabytes, productionPackages } from '../support/imageSize.ts'
import { until } from '../support/poll.ts'
import { freePort } from '../support/process.ts'

const root = resolve(import.meta.dirname, '../..')
const run = promisify(execFile)
const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')
const environment = { PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`, HOME: String(process.env.HOME) }

let output: string
let image: Stage
let app: string
let service: ChildProcess
let admin: string
let publicAddress: string
let log = ''
const replaced: string[] = []

/**
 * Stands in for `npm ci`, which needs the network: links the installed packages that the lock file has for these options. Everything else
 * of the Dockerfile is executed.
 */
function linkPackages(command: string, directory: string): boolean {
  if (!command.startsWith('npm ci')) return false
  replaced.push(command)
  if (!command.includes('--omit')) {
    link(join(root, 'node_modules'), join(directory, 'node_modules'))
    return true
  }
  for (const path of productionPackages(readFileSync(join(directory, 'package-lock.json'), 'utf8')).filter((one) =>
    existsSync(join(root, one)),
  )) {
    mkdirSync(join(directory, dirname(path)), { recursive: true })
    link(join(root, path), join(directory, path))
    for (const inner of readdirSync(join(directory, path), { withFileTypes: true }))
      if (inner.isDirectory() && inner.name === 'node_modules') execFileSync('rm', ['-r', join(directory, path, 'node_modules')])
  }
  return true
}

/** Links a folder with all its files; copies it if it is on another disk. */
function link(from: string, to: string): void {
  try {
    execFileSync('cp', ['-al', from, to], { stdio: 'pipe' })
  } catch {
    execFileSync('cp', ['-a', from, to])
  }
}

beforeAll(async () => {
  output = await mkdtemp(join(tmpdir(), 'schoolgate-image-'))
  image = buildImage({
    context: root,
    dockerfile,
    ignored: ignoreRule(readFileSync(join(root, '.dockerignore'), 'utf8')),
    output,
    folders: ['/app', '/data', '/usr/local/bin'],
    instead: linkPackages,
    environment,
  })
  app = join(image.root, image.directory)
  const [port, adminPort] = [await freePort(), await freePort()]
  ;[publicAddress, admin] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${adminPort}`]
  const [program = '', ...args] = image.command
  service = spawn(program, args, {
    cwd: app,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Filling the demo school takes longer than everything else.
    env: { ...environment, ...image.environment, DEMO: 'off', HOST: '127.0.0.1', PORT: String(port), ADMIN_PORT: String(adminPort) },
  })
  for (const stream of [service.stdout, service.stderr]) stream?.on('data', (chunk) => (log += chunk))
  await until(async () => service.exitCode !== null || (await fetch(`${admin}/readyz`)).ok, { what: 'the service to be ready' }).catch(
    (error) => {
      throw new Error(`${error.message}\n${log}`, { cause: error })
    },
  )
})
afterAll(async () => {
  if (service && service.exitCode === null) {
    const ended = once(service, 'exit')
    // Ctrl-C does not wait for a gateway.
    service.kill('SIGINT')
    await ended
  }
  await rm(output, { recursive: true, force: true })
})

test('every step of the Dockerfile runs, and only the two installations are replaced by links', () => {
  expect(replaced).toEqual(['npm ci --ignore-scripts', 'npm ci --omit=dev --omit=optional --ignore-scripts'])
  const [, major] = /^node:(\d+)/.exec(image.base) ?? []
  expect(major).toBe(process.versions.node.split('.')[0])
})

test('the image has the command schoolgate on its path, which works in any directory', async () => {
  const path = `${join(image.root, '/usr/local/bin')}:${environment.PATH}`
  const options = { cwd: tmpdir(), env: { ...environment, ...image.environment, DEMO: 'off', PATH: path } }
  const { stdout } = await run('schoolgate', ['config', 'check'], options)
  expect(stdout).toContain('demo')
  expect((await run('sh', ['-c', 'command -v schoolgate'], options)).stdout.trim()).toBe(join(image.root, '/usr/local/bin/schoolgate'))
})

test('the image has what the service needs and nothing else', () => {
  expect(readdirSync(app).toSorted()).toEqual(
    ['compile-cache', 'config', 'demo', 'node_modules', 'package.json', 'prisma', 'sbom.cdx.json', 'src', 'views'].toSorted(),
  )
  expect(readdirSync(join(app, 'prisma'))).toEqual(['migrations'])
  const filesIn = (folder: string): string[] =>
    (readdirSync(folder, { recursive: true }) as string[]).filter((path) => !path.endsWith('.DS_Store')).toSorted()
  for (const name of ['config', 'demo', 'views', 'prisma/migrations']) expect(filesIn(join(app, name))).toEqual(filesIn(join(root, name)))
  for (const name of ['vitest', 'typescript', '@biomejs', 'prisma', 'node']) expect(existsSync(join(app, 'node_modules', name))).toBe(false)
  const files = readdirSync(join(app, 'node_modules'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  expect(files.filter(({ name }) => /\.(map|d\.[cm]?ts)$/.test(name)).map(({ name }) => name)).toEqual([])
  expect(readdirSync(join(app, 'compile-cache')).length).toBeGreaterThan(0)
})

test(`its packages take less than ${maxMegabytes} MB`, () => {
  const megabytes = diskBytes(join(app, 'node_modules')) / 1e6
  expect(megabytes).toBeGreaterThan(20)
  expect(megabytes).toBeLessThan(maxMegabytes)
})

test('it starts with its command, is healthy by its health check, and serves its school', async () => {
  expect(service.exitCode, log).toBe(null)
  const [program = '', ...args] = image.healthCheck
  const path = `${join(image.root, '/usr/local/bin')}:${environment.PATH}`
  const check = (port: string) => run(program, args, { env: { ...environment, ...image.environment, PATH: path, ADMIN_PORT: port } })
  await check(new URL(admin).port)
  await expect(check(String(await freePort()))).rejects.toMatchObject({ code: 1 })
  expect((await get(`${admin}/livez`)).status).toBe(200)
  expect((await get(`${publicAddress}/.well-known/openid-configuration`)).status).toBe(200)
  expect((await get(`${publicAddress}/api/v1/school`)).body.name).toBe('Lanternfield School of Making')
  expect((await get(`${publicAddress}/account/sign-in`)).status).toBe(200)
})

test('every package that the code imports is there after the unneeded files were deleted, and the commands run', async () => {
  const script = `const failed = []
    for (const name of ${JSON.stringify(importedPackages(join(app, 'src')))}) await import(name).catch((error) => failed.push(name + ': ' + error.message))
    console.log(JSON.stringify(failed))`
  const { stdout } = await run('node', ['--input-type=module', '--eval', script], {
    cwd: app,
    env: { ...environment, NODE_ENV: 'production' },
  })
  expect(JSON.parse(stdout)).toEqual([])
  const checked = await run('node', ['src/operate/cli/main.mjs', 'config', 'check'], {
    cwd: app,
    env: { ...environment, ...image.environment },
  })
  expect(checked.stdout).toMatch(/./)
})

/** Returns the names of packages that the files of a folder import, with their subpaths, without imports of types. */
function importedPackages(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(({ name }) => name.endsWith('.ts'))
  const names = files.flatMap((entry) => {
    const text = readFileSync(join(entry.parentPath, entry.name), 'utf8')
    const found = text.matchAll(/^(?:import|export) (?!type )[^;'"]*? from ['"]([^.'"][^'"]*)['"]|\bimport\(['"]([^.'"][^'"]*)['"]\)/gm)
    return [...found].map(([, still, lazy]) => still ?? lazy ?? '')
  })
  expect(names).toContain('oidc-provider')
  return [...new Set(names)].filter((name) => !isBuiltin(name)).toSorted()
}
