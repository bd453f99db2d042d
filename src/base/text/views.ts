import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ejs from 'ejs'
import { parse } from 'yaml'

// The bundle has these functions with the compiled templates and the parsed data in their place: scripts/compiledViews.ts.

/** Returns the template `views/<name>.ejs`. It accesses `page` only, and a misspelt name throws instead of printing nothing. */
export function compileView(name: string): (page: object) => string {
  const filename = fileURLToPath(new URL(`../../../views/${name}.ejs`, import.meta.url))
  return ejs.compile(readFileSync(filename, 'utf8'), { filename, strict: true, localsName: 'page', cache: true })
}

/** Returns the data of `views/<path>`, a file of YAML. */
export const readData = <Data>(path: string): Data =>
  parse(readFileSync(new URL(`../../../views/${path}`, import.meta.url), 'utf8'), { merge: true })
