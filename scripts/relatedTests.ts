/**
 * Finds the test files that are nearest to a changed file: those that import it, not counting imports through the composition of the whole
 * service, which every test of the service imports, and those that are named after it.
 */
import { readdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { importsOf } from './importsOf.ts'

const root = resolve(import.meta.dirname, '..')

/** Files that compose the whole service. Imports through them would relate every file to every test, so they are not followed. */
const composition =
  /^(?:src\/operate\/(?:main\.ts|cli\/program\.ts|(?:compose|serve|metrics|demo)\/.*)|src\/school\/index\.ts|test\/support\/.*|test\/school\/(?:demoApi|subjects)\.ts)$/

/** Folders of src that group by kind rather than by noun: the name of such a folder does not make a test related. */
const kinds = new Set(['src', 'base', 'database', 'engine', 'identity', 'school', 'pages', 'operate', 'http', 'tables', 'jobs', 'index'])

export interface TestGraph {
  /** Returns the test files that are related to a file of the project, nearest first. */
  relatedTo(file: string): string[]
}

/** Reads the imports of src, test and verification. */
export function readTestGraph(): TestGraph {
  const files = ['src', 'test', 'verification'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).flatMap((path) =>
      path.endsWith('.ts') && !path.includes('node_modules/') ? [join(folder, path)] : [],
    ),
  )
  const importers = new Map<string, string[]>()
  for (const file of files) {
    for (const target of importsOf(file)) importers.set(target, [...(importers.get(target) ?? []), file])
  }
  const tests = files.filter(isTest)

  return {
    relatedTo(file) {
      const found = new Map<string, number>()
      for (const test of tests.filter((path) => isNamedAfter(path, file))) found.set(test, hasNameOf(test, file) ? 0.5 : 1)
      let [distance, edge] = [0, [file]]
      const seen = new Set(edge)
      while (edge.length > 0) {
        for (const path of edge) if (isTest(path)) found.set(path, Math.min(distance, found.get(path) ?? distance))
        // The importers of the changed file count, even if it belongs to the composition.
        const next = edge.filter((path) => distance === 0 || !composition.test(path)).flatMap((path) => importers.get(path) ?? [])
        edge = next.filter((path) => !seen.has(path))
        for (const path of edge) seen.add(path)
        distance += 1
      }
      return [...found].toSorted(([, a], [, b]) => a - b).map(([path]) => path)
    },
  }
}

const isTest = (path: string): boolean => path.endsWith('.test.ts')

/** True if the test has the name of the file itself. */
const hasNameOf = (test: string, file: string): boolean => basename(test, '.test.ts') === basename(file, '.ts')

/** True if the test has the name of the file or of its folder: coupons.test.ts for src/school/coupons/quote.ts. */
function isNamedAfter(test: string, file: string): boolean {
  if (!file.startsWith('src/')) return false
  const nouns = [...dirname(file).split('/'), basename(file, '.ts')].filter((name) => !kinds.has(name))
  const words = [...dirname(test).split('/'), ...basename(test, '.test.ts').split('.')]
  return nouns.some((noun) => words.includes(noun))
}
