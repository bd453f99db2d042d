import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { between } from './between.ts'
import { type Module, modules, type PackageOwner, packageOwners, processFiles } from './importTable.ts'

const resources = resolve(import.meta.dirname, '../src/resources')

const [begin, end] = ['<!-- import table: printed by npm run docs from scripts/importTable.ts -->', '<!-- end of the import table -->']

const [beginResources, endResources] = [
  '<!-- resources: printed by npm run docs from src/resources and its imports -->',
  '<!-- end of the resources -->',
]

/** Returns ARCHITECTURE.md of the working directory with the current tables between their markers. */
export async function renderArchitecture(): Promise<string> {
  const text = await readFile('ARCHITECTURE.md', 'utf8')
  return between(between(text, [begin, end], importTable()), [beginResources, endResources], resourceTable())
}

/** Lists the files of each resource in the order of src/resources/index.ts. */
function resourceTable(): string {
  const index = readFileSync(join(resources, 'index.ts'), 'utf8')
  const [, list = ''] = /export const resources[^=]*= \[([^\]]*)\]/.exec(index) ?? []
  const rows = list.split(',').flatMap((entry) => {
    const name = entry.replace(/\/\/.*$/gm, '').trim()
    const [, file] = new RegExp(`import [^;]*?\\b${name}\\b[^;]*? from '\\./(\\w+\\.ts)'`).exec(index) ?? []
    return name === '' || file === undefined ? [] : [resourceRow(name, file)]
  })
  return ['| resource | declaration | fields | rules |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

function resourceRow(name: string, file: string): string {
  const source = readFileSync(join(resources, file), 'utf8')
  const imported = [...source.matchAll(/ from '(\.[^']+)'/g)].map(([, path = '']) => path)
  const fields = imported.filter((path) => /^\.\/\w+Fields\.ts$/.test(path)).map((path) => `\`${path.slice(2)}\``)
  const rules = new Set(
    imported.flatMap((path) => (path.startsWith('../domain/') ? [`\`${path.slice('../domain/'.length).split('/')[0]}\``] : [])),
  )
  return `| ${name} | \`${file}\` | ${fields.join(', ') || 'in the declaration'} | ${[...rules].join(', ') || 'none'} |`
}

function importTable(): string {
  return [
    '| module | contents | may import |',
    '| --- | --- | --- |',
    ...modules.map((module) => `| \`src/${module.name}\` | ${module.contents} | ${importsOf(module)} |`),
    '',
    '| package | may be imported by |',
    '| --- | --- |',
    ...packageOwners.map((owner) => `| \`${owner.name}\` | ${modulesOf(owner)} |`),
    '',
    `Only ${processFiles.map((file) => `\`${file}\``).join(', ')} may use Node's \`process\`.`,
  ].join('\n')
}

function importsOf({ mayImport, mayImportTypesOf = [] }: Module): string {
  if (mayImport === 'anything') return 'anything'
  return [...mayImport, ...mayImportTypesOf.map((module) => `${module} (types)`)].join(', ') || 'no other module'
}

function modulesOf({ modules: owners, typesIn = [] }: PackageOwner): string {
  return [...owners, ...typesIn.map((module) => `${module} (types)`)].join(', ')
}
