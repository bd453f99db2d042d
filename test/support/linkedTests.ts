import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const folder = resolve(import.meta.dirname, '..')

/** A test that proves a guarantee: its file below `test` and its title, or the title of the group that contains it. */
export interface LinkedTest {
  file: string
  title: string
}

/** Returns the problem of a link to a test, or undefined if the test exists and is run. */
export function brokenLink({ file, title }: LinkedTest): string | undefined {
  const path = join(folder, file)
  if (!existsSync(path)) return `${file}: the file does not exist`
  const source = readFileSync(path, 'utf8')
  const quoted = `(?:'${pattern(title.replaceAll("'", "\\'"))}'|"${pattern(title)}"|\`${pattern(title)}\`)`
  // A title is the first argument of a call, or the name of a module in a table.
  if (!new RegExp(`\\(\\s*${quoted},|^\\s*${quoted}: `, 'm').test(source)) return `${file}: no test has the title "${title}"`
  if (new RegExp(`\\.(?:skip|todo|fails)\\(\\s*${quoted}`).test(source)) return `${file}: the test "${title}" is not run`
  return undefined
}

const pattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
