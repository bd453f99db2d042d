import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const copied = ['package.json', 'tsconfig.json', 'biome.json', 'vitest.config.ts', 'prisma.config.ts', '.dependency-cruiser.mjs']
const folders = ['src', 'scripts', 'test', 'verification', 'prisma', 'views', 'demo', 'config', 'bench']

const env = {
  // A nested run of vitest must not take itself for a worker of this one, nor use its template, which lacks the new table.
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST') && name !== 'TEST_DATABASE_TEMPLATE')),
  // The image of this copy would be used by no test, and by no later run.
  TEST_EMBEDDED_IMAGE: 'on demand',
}

let copy: string
const run = (script: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { cwd: copy, encoding: 'utf8', env })
  return { status, output: stdout + stderr }
}

/** Starts a command, so that several can run at the same time. */
async function start(script: string, ...args: string[]): Promise<{ status: number | null; output: string }> {
  const child = spawn(process.execPath, [script, ...args], { cwd: copy, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [output, errors, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { status: status as number | null, output: output + errors }
}

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'schoolgate-new-resource-'))
  for (const name of [...copied, ...folders])
    cpSync(join(root, name), join(copy, name), { recursive: true, filter: (path) => !path.endsWith('node_modules') })
  linkPackages()
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

/**
 * Links every package. The copy gets a separate cache, with the results of the last type check of the tree: they name packages by the path
 * of the link, which `--preserveSymlinks` keeps.
 */
function linkPackages(): void {
  const [from, to] = [join(root, 'node_modules'), join(copy, 'node_modules')]
  mkdirSync(join(to, '.cache'), { recursive: true })
  for (const name of readdirSync(from)) if (name !== '.cache' && !name.startsWith('.vite')) symlinkSync(join(from, name), join(to, name))
  symlinkSync(join(root, 'test/clients/node_modules'), join(copy, 'test/clients/node_modules'))
  const checked = join('.cache', 'tsc.json')
  if (existsSync(join(from, checked))) cpSync(join(from, checked), join(to, checked))
}

test('--help explains the arguments', () => {
  expect(run('scripts/newResource.ts', '--help')).toEqual({ status: 0, output: expect.stringContaining('id prefix') })
})

test.each([
  [['Workshop'], 'must be a plural in snake_case'],
  [['courses'], 'already has a table course'],
  [['comments'], 'already has a table comment'],
  [['workshops', 'crs'], 'the id prefix crs is already in use'],
])('%j is rejected', (args, message) => {
  const { status, output } = run('scripts/newResource.ts', ...args)
  expect(output).toContain(message)
  expect(status).toBe(1)
})

describe('a generated resource', () => {
  type Started = ReturnType<typeof start>
  let checks: Record<'types' | 'imports' | 'lint' | 'operations' | 'migration' | 'tests', Started>

  // Each test awaits the commands that it needs.
  beforeAll(() => {
    expect(run('scripts/newResource.ts', 'gift_cards').output).toContain('src/school/giftCards/giftCards.ts')
    const files = [
      'test/school/giftCards.test.ts',
      'test/school/register.test.ts',
      'test/engine/permissionSentences.test.ts',
      'test/engine/mcp/toolList.test.ts',
      'test/pages/catalogues.test.ts',
    ]
    // Two checkers take nearly twice the CPU time of one. The other commands use the other core, one after the other.
    const typeCheck = ['--noEmit', '--checkers', '1', '--preserveSymlinks', '--incremental', '--tsBuildInfoFile']
    const operations = start('scripts/operations.ts', '--check')
    const migration = operations.then(() => start('scripts/makeMigration.ts', '--check'))
    const lint = migration.then(() =>
      start('node_modules/@biomejs/biome/bin/biome', 'check', 'src/school', 'test/school/giftCards.test.ts'),
    )
    const imports = lint.then(() => start('scripts/imports.ts'))
    const tests = imports.then(() => start('node_modules/vitest/vitest.mjs', 'run', ...files, '--maxWorkers=1'))
    const types = start('node_modules/@typescript/native/bin/tsc', ...typeCheck, 'node_modules/.cache/tsc.json')
    checks = { operations, migration, lint, imports, tests, types }
  })
  // The folder is removed afterwards.
  afterAll(() => Promise.all(Object.values(checks ?? {})))

  test('is in the register and leaves no migration to write', async () => {
    expect(readFileSync(join(copy, 'test/school/operations.csv'), 'utf8')).toContain('gift_cards,POST,/api/v1/gift_cards,createGiftCard')
    expect(await checks.operations).toEqual({ status: 0, output: '' })
    expect((await checks.migration).status).toBe(0)
  })

  test('passes the linter', async () => {
    const { output } = await checks.lint
    expect(output).toContain('No fixes applied')
    expect(output).not.toContain('Found')
  })

  test('passes the import table', async () => {
    expect((await checks.imports).output).toContain('no forbidden import')
  })

  test('reports every change of its table, because responses to visitors are kept in memory', () => {
    const [path = ''] = globSync('prisma/migrations/*_add_gift_cards/migration.sql', { cwd: copy })
    const triggers = readFileSync(join(copy, path), 'utf8').match(/CREATE TRIGGER gift_card_content_\w+ AFTER \w+ ON gift_card\b/g)
    expect(triggers?.map((trigger) => trigger.split(' ')[4])).toEqual(['INSERT', 'UPDATE', 'DELETE'])
  })

  test('passes its own test, the register, the sentences of its scopes, the list of tools and the catalogues', async () => {
    const { status, output } = await checks.tests
    expect(output).toMatch(/Test Files .*5 passed/)
    expect(status).toBe(0)
  })

  test('passes the type check', async () => {
    expect(await checks.types).toEqual({ status: 0, output: '' })
  })
})
