import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const copied = ['package.json', 'tsconfig.json', 'biome.json', 'vitest.config.ts', 'prisma.config.ts', '.dependency-cruiser.mjs']
const folders = ['src', 'scripts', 'test', 'prisma', 'views', 'demo', 'config', 'bench']

// A nested run of vitest must not take itself for a worker of this one, nor use its template, which lacks the new table.
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST') && name !== 'TEST_DATABASE_TEMPLATE'),
)

let copy: string
const run = (script: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { cwd: copy, encoding: 'utf8', env })
  return { status, output: stdout + stderr }
}

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'schoolgate-new-resource-'))
  for (const name of [...copied, ...folders]) cpSync(join(root, name), join(copy, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

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

describe('a generated resource', { timeout: 300_000 }, () => {
  beforeAll(() => {
    expect(run('scripts/newResource.ts', 'gift_cards').output).toContain('src/resources/giftCards.ts')
  }, 300_000)

  test('passes the type check, the linter and the import table', () => {
    expect(run('node_modules/@typescript/native/bin/tsc', '--noEmit').output).toBe('')
    expect(run('scripts/imports.ts').output).toContain('no forbidden import')
    const { output } = run('node_modules/@biomejs/biome/bin/biome', 'check', 'src/resources', 'test/api/giftCards.test.ts')
    expect(output).toContain('No fixes applied')
    expect(output).not.toContain('Found')
  })

  test('is in the register and leaves no migration to write', () => {
    expect(readFileSync(join(copy, 'test/api/operations.csv'), 'utf8')).toContain('gift_cards,POST,/api/v1/gift_cards,createGiftCard')
    expect(run('scripts/operations.ts', '--check')).toEqual({ status: 0, output: '' })
    expect(run('scripts/makeMigration.ts', '--check').status).toBe(0)
  })

  test('reports every change of its table, because responses to visitors are kept in memory', () => {
    const [path = ''] = globSync('prisma/migrations/*_add_gift_cards/migration.sql', { cwd: copy })
    const triggers = readFileSync(join(copy, path), 'utf8').match(/CREATE TRIGGER gift_card_content_\w+ AFTER \w+ ON gift_card\b/g)
    expect(triggers?.map((trigger) => trigger.split(' ')[4])).toEqual(['INSERT', 'UPDATE', 'DELETE'])
  })

  test('passes its own test, the register and the catalogues', () => {
    const files = ['test/api/giftCards.test.ts', 'test/api/register.test.ts', 'test/pages/catalogues.test.ts']
    const { status, output } = run('node_modules/vitest/vitest.mjs', 'run', ...files, '--maxWorkers=1')
    expect(output).toMatch(/Test Files .*3 passed/)
    expect(status).toBe(0)
  })
})
