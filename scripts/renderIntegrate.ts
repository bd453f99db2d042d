import { readFile } from 'node:fs/promises'
import { generators, generatorTable } from '../test/clients/generators.ts'
import { debianLibraries, type Library, nodeLibraries } from '../test/clients/libraries.ts'
import { between } from './between.ts'

/** Returns docs/integrate.md of the working directory with the current tables of libraries and generators between their markers. */
export async function renderIntegrate(): Promise<string> {
  const { devDependencies } = await manifestIn('package.json')
  const { dependencies } = await manifestIn('test/clients/package.json')
  const libraryMarkers: [string, string] = [
    '<!-- libraries: printed by npm run docs from test/clients/libraries.ts -->',
    '<!-- end of the libraries -->',
  ]
  const generatorMarkers: [string, string] = [
    '<!-- generators: printed by npm run docs from test/clients/generators.ts -->',
    '<!-- end of the generators -->',
  ]
  const withLibraries = between(
    await readFile('docs/integrate.md', 'utf8'),
    libraryMarkers,
    libraryTable({ ...devDependencies, ...dependencies }),
  )
  return between(withLibraries, generatorMarkers, generatorTable(dependencies, generators))
}

const manifestIn = async (file: string): Promise<Record<'dependencies' | 'devDependencies', Record<string, string>>> =>
  JSON.parse(await readFile(file, 'utf8'))

function libraryTable(versions: Readonly<Record<string, string>>): string {
  const row = ({ name, flows, settings, clock = 'none' }: Library, version: string): string =>
    `| ${name} | ${version} | ${flows.join(', ')} | ${settings} | ${clock} |`
  const rows = [
    ...nodeLibraries.map((library) => row(library, `${versions[library.package]?.replace(/^npm:.*@/, '')}`)),
    ...debianLibraries.map((library) => row(library, `${library.version} (Debian 12)`)),
  ]
  return [
    '| library | version | tested flows | required settings | for a clock 2 minutes off |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}
