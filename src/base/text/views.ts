import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ejs from 'ejs'
import { parse } from 'yaml'

// The bundle has these functions with the compiled templates and the parsed data in their place: scripts/compiledViews.ts.

/** Returns the template `views/<name>.ejs`. It accesses `page` only, and a misspelt name throws instead of printing nothing. */
export function compileView(name: string): (page: object) => string {
  const filename = fileURLToPath(urlOf(`${name}.ejs`))
  return ejs.compile(readFileSync(filename, 'utf8'), { filename, strict: true, localsName: 'page', cache: true })
}

const urlOf = (path: string): URL => new URL(`../../../views/${path}`, import.meta.url)

/** Returns the text of `views/<path>`, the Markdown of an e-mail; undefined without such a file. */
export const readText = (path: string): string | undefined => (existsSync(urlOf(path)) ? readFileSync(urlOf(path), 'utf8') : undefined)

/** Returns the data of `views/<path>`, a file of YAML. */
export const readData = <Data>(path: string): Data => parse(readFileSync(urlOf(path), 'utf8'), { merge: true })
