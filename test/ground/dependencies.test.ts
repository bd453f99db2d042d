import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const read = (name: string): string => readFileSync(join(root, name), 'utf8')
const manifest: Record<'dependencies' | 'devDependencies', Record<string, string>> = JSON.parse(read('package.json'))
const [, runTime = '', development = ''] = read('docs/dependencies.md').split(/^## (?:At run time|For development)$/m)

/** Packages of a table, each with its reason. */
const listed = (table: string): [name: string, reason: string][] =>
  [...table.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)].map(([, name = '', reason = '']) => [name, reason])

describe.each([
  ['dependencies', runTime],
  ['devDependencies', development],
] as const)('docs/dependencies.md lists the %s', (kind, table) => {
  test('exactly those of package.json', () => {
    expect(listed(table).map(([name]) => name)).toEqual(Object.keys(manifest[kind]).toSorted())
  })

  test('with an exact version and a reason each', () => {
    expect(Object.entries(manifest[kind]).filter(([, version]) => /^[\^~*]|^latest$/.test(version))).toEqual([])
    expect(listed(table).filter(([, reason]) => reason.length < 10)).toEqual([])
  })
})
