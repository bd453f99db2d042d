import { globSync, readFileSync } from 'node:fs'
import ts from 'typescript'

/** A module of src, without generated code. */
export interface Module {
  path: string
  text: string
}

/** Reads the modules of the working directory, in the order of their paths. Ends the process if there are none: a check would always pass. */
export function readModules(): Module[] {
  const paths = globSync('src/**/*.ts', { exclude: ['src/gen/**'] }).toSorted()
  if (paths.length === 0) fail('no module was read')
  return paths.map((path) => ({ path, text: readFileSync(path, 'utf8') }))
}

export const parse = ({ path, text }: Module): ts.SourceFile => ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)

export const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length

/** Ends the process with 1, after the message. */
export function fail(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
