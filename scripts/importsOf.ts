import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')

/** Returns the files of the project that a file imports, by their paths from the root. */
export function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?'(\.{1,2}\/[^']+\.ts)'/g)].map(([, path = '']) =>
    relative(root, resolve(root, dirname(file), path)),
  )
}

/** Returns a file and all files that it needs. */
export function neededBy(file: string): string[] {
  const found = new Set([file])
  // A set that grows is iterated to its new end.
  for (const one of found) for (const path of importsOf(one)) found.add(path)
  return [...found]
}
