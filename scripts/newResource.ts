/**
 * Writes everything that a new resource of the API needs.
 *
 *   npm run new-resource -- <name> [id prefix]    for example: npm run new-resource -- workshops wsp
 *   npm run new-resource -- --help
 */
import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fail } from './modules.ts'
import { newResourceFiles } from './newResourceFiles.ts'

const help = `Usage: npm run new-resource -- <name> [id prefix]

<name>       the plural in snake_case, as it appears in paths: workshops, gift_cards
[id prefix]  three letters for ids such as wsp_01jgwejj00e6srgkpqm2sqf05m; by default derived from the name

Writes the declaration, its entries in src/school/index.ts and src/school/account/tablesWithoutPeople.ts, the table with its migration, the scope texts, rows of the demo, the rows of
test/school/operations.csv and a test. The resource has a title, a slug and a status; published rows are public and staff write.
Change the files afterwards, and run: npm run check
`

const [name, prefix] = process.argv.slice(2)
if (name === '--help' || name === undefined) {
  process.stdout.write(help)
  process.exit(name === undefined ? 1 : 0)
}
if (!/^[a-z]+(_[a-z]+)*s$/.test(name)) fail(`the name must be a plural in snake_case such as workshops or gift_cards, not ${name}`)
const letters = name.replace(/(?<!^)[aeiou_]/g, '')
const idPrefix = prefix ?? `${letters}${name.slice(1)}`.slice(0, 3)
if (!/^[a-z]{3}$/.test(idPrefix)) fail(`the id prefix ${idPrefix} must have three lower-case letters`)

const files = newResourceFiles(name, idPrefix)
const schema = readFileSync('prisma/schema.prisma', 'utf8')
const index = readFileSync('src/school/index.ts', 'utf8')
const scopes = JSON.parse(readFileSync('views/locales/de.scopes.json', 'utf8'))
if (new RegExp(`^model ${files.object} `, 'm').test(schema)) fail(`prisma/schema.prisma already has a table ${files.object}`)
if (index.includes(`'./${files.variable}/${files.variable}.ts'`) || name in scopes.areas) fail(`the resource ${name} already exists`)
const { declared } = await declaredNames()
if (declared.some((one) => one.idPrefix === idPrefix)) fail(`the id prefix ${idPrefix} is already in use: pass another one after the name`)
if (declared.some((one) => one.name === name || one.object === files.object)) fail(`the resource ${name} already exists`)

mkdirSync(`src/school/${files.variable}`, { recursive: true })
write(`src/school/${files.variable}/${files.variable}.ts`, files.declaration)
write('src/school/index.ts', withEntry(index, files.variable))
write(
  'src/school/account/tablesWithoutPeople.ts',
  withoutPersonalData(readFileSync('src/school/account/tablesWithoutPeople.ts', 'utf8'), files.object),
)
write('prisma/schema.prisma', withModel(schema, files.object, files.model))
scopes.areas[name] = files.title
Object.assign(scopes.sentences, files.germanSentences)
write('views/locales/de.scopes.json', `${JSON.stringify(scopes, null, 2)}\n`)
mkdirSync('demo/rows', { recursive: true })
write(`demo/rows/${files.object}.yaml`, files.demoRows)
write(`test/school/${files.variable}.test.ts`, files.test)

const migration = run('scripts/makeMigration.ts', `add_${name}`).trim().split('\n').at(-1) as string
appendFileSync(
  migration,
  `\n-- Responses to visitors are kept in memory: see docs/decisions/0027-responses-to-visitors-in-memory.md. Changes can be taken back: see 0043.\n${files.triggers}`,
)
process.stdout.write(`${migration}\n`)
run('scripts/generate.ts')
run('scripts/operations.ts')
process.stdout.write(`test/school/operations.csv

Next: edit the fields in prisma/schema.prisma, the migration and src/school/${files.variable}/${files.variable}.ts together, translate the German texts in
views/locales/de.scopes.json, say in src/school/account/personalData.ts which rows belong to a person if any do, and run npm run docs, npm run check
and npx vitest run test/school. The tests derive rows and requests from the declaration: if they report that it is not enough, describe the rest in
test/school/subjects/${files.variable}.ts.
`)

async function declaredNames() {
  const { resources } = await import('../src/school/index.ts')
  return { declared: resources.flatMap((one) => ('operations' in one ? [one] : [])) }
}

/** Adds the model at the end, and its relation to the model of the school. */
function withModel(text: string, object: string, model: string): string {
  const withRelation = text.replace(/^(model school \{[\s\S]*?)\n\}/m, `$1\n  ${object} ${object}[]\n}`)
  return `${withRelation.trimEnd()}\n\n${model}`
}

/** Adds the import in alphabetical order of the files, and the resource at the end of the list. */
function withEntry(text: string, variable: string): string {
  const line = `import { ${variable} } from './${variable}/${variable}.ts'`
  const imports = text.match(/^import \{ \w+ \} from '\.\/.*$/gm) ?? []
  const next = imports.find((one) => fileOf(one).toLowerCase() > variable.toLowerCase())
  const withImport = next ? text.replace(next, `${line}\n${next}`) : text.replace(imports.at(-1) as string, (last) => `${last}\n${line}`)
  return withImport.replace(/(export const resources: readonly Declared\[\] = \[[\s\S]*?)\n\]/, `$1\n  ${variable},\n]`)
}

/** Adds the table to those without data of people. */
function withoutPersonalData(text: string, object: string): string {
  return text.replace(/^ {2}form: notPersonal,$/m, `$&\n  ${object}: notPersonal,`)
}

function fileOf(line: string): string {
  return line.replace(/^.*'\.\//, '').replace(/\.ts'$/, '')
}

function write(path: string, text: string): void {
  writeFileSync(path, text)
  process.stdout.write(`${path}\n`)
}

function run(script: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' })
  if (status !== 0) fail(`${script} failed:\n${stderr || stdout}`)
  return stdout
}
