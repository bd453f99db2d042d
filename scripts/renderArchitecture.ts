import { readFile } from 'node:fs/promises'
import { between } from './between.ts'
import { type Module, modules, type PackageOwner, packageOwners, processFiles } from './importTable.ts'

const [begin, end] = ['<!-- import table: printed by npm run docs from scripts/importTable.ts -->', '<!-- end of the import table -->']

/** Returns ARCHITECTURE.md of the working directory with the current table between its markers. */
export async function renderArchitecture(): Promise<string> {
  return between(await readFile('ARCHITECTURE.md', 'utf8'), [begin, end], importTable())
}

function importTable(): string {
  const packages = Map.groupBy(packageOwners, modulesOf)
  return [
    '| module | contents | may import |',
    '| --- | --- | --- |',
    ...modules.map((module) => `| \`src/${module.name}\` | ${module.contents} | ${importsOf(module)} |`),
    '',
    '| packages | may be imported by |',
    '| --- | --- |',
    ...[...packages].map(([owners, owned]) => `| ${owned.map(({ name }) => `\`${name}\``).join(', ')} | ${owners} |`),
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
