import { readFile } from 'node:fs/promises'
import { type Module, modules, type PackageOwner, packageOwners, processFiles } from './importTable.ts'

const [begin, end] = ['<!-- import table: printed by npm run docs from scripts/importTable.ts -->', '<!-- end of the import table -->']

/** Returns ARCHITECTURE.md of the working directory with the current import table between its two markers. */
export async function renderArchitecture(): Promise<string> {
  const text = await readFile('ARCHITECTURE.md', 'utf8')
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`ARCHITECTURE.md must contain "${begin}" and, below it, "${end}"`)
  return `${text.slice(0, from)}${begin}\n\n${importTable()}\n\n${text.slice(to)}`
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
