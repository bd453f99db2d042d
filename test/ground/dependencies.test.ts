import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const read = (name: string): string => readFileSync(join(root, name), 'utf8')
type Kind = 'dependencies' | 'optionalDependencies' | 'devDependencies'
const manifest: Record<Kind, Record<string, string>> = JSON.parse(read('package.json'))
const clients: typeof manifest = JSON.parse(read('test/clients/package.json'))
const [, runTime = '', building = '', development = '', ofClients = ''] = read('docs/dependencies.md').split(
  /^## (?:At run time|To build|For development|For the tests of clients)$/m,
)

/** Packages of a table, each with its reason. */
const listed = (table: string): [name: string, reason: string][] =>
  [...table.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)].map(([, name = '', reason = '']) => [name, reason])

describe.each([
  ['dependencies', runTime, manifest.dependencies],
  ['optional dependencies', building, manifest.optionalDependencies],
  ['development dependencies', development, manifest.devDependencies],
  ['dependencies of test/clients', ofClients, clients.dependencies],
])('docs/dependencies.md lists the %s', (_kind, table, packages) => {
  test('exactly those of package.json', () => {
    expect(listed(table).map(([name]) => name)).toEqual(Object.keys(packages).toSorted())
  })

  test('with an exact version and a reason each', () => {
    expect(Object.entries(packages).filter(([, version]) => /^[\^~*]|^latest$/.test(version))).toEqual([])
    expect(listed(table).filter(([, reason]) => reason.length < 10)).toEqual([])
  })
})
