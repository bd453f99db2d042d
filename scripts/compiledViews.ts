/** Renders the module that the bundle has in place of `src/base/text/views.ts`: a process neither compiles templates nor parses their data. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ejs from 'ejs'
import { readData } from '../src/base/text/views.ts'

/** Returns the text of the module for the templates and data below a directory. */
export function compiledViews(directory: string): string {
  const paths = (pattern: string): string[] => globSync(pattern, { cwd: directory }).toSorted()
  const templates = paths('*.ejs').map((path) => {
    const filename = join(directory, path)
    // Without the text of the template, which errors would quote.
    const template = new ejs.Template(readFileSync(filename, 'utf8'), { filename, strict: true, localsName: 'page', compileDebug: false })
    template.compile()
    return `${JSON.stringify(path.slice(0, -'.ejs'.length))}: (page, escapeFn, include) => {${template.source}}`
  })
  const data = paths('**/*.yaml').map((path) => `${JSON.stringify(path)}: () => (${JSON.stringify(readData(path))})`)
  const texts = paths('**/*.md').map((path) => [path, readFileSync(join(directory, path), 'utf8')])
  return `const templates = {${templates.join(',\n')}}
const data = {${data.join(',\n')}}
const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' }
const escape = (value) => (value === undefined || value === null ? '' : String(value).replace(/[&<>'"]/g, (one) => entities[one]))
const render = (name, page) => templates[name](page, escape, (part, own) => render(part, { ...page, ...own }))
export function compileView(name) {
  if (!(name in templates)) throw new Error('there is no view ' + name)
  return (page) => render(name, page)
}
export const readData = (path) => data[path]()
const texts = new Map(${JSON.stringify(texts)})
export const readText = (path) => texts.get(path)
`
}
