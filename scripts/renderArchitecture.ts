import { readFile } from 'node:fs/promises'
import { type PackageOwner, packageOwners, processFiles, type Room, rooms } from './importTable.ts'

const [begin, end] = ['<!-- import table: printed by npm run docs from scripts/importTable.ts -->', '<!-- end of the import table -->']

/** ARCHITECTURE.md as it stands in the working directory, with the import table of this moment between its two marks. */
export async function renderArchitecture(): Promise<string> {
  const text = await readFile('ARCHITECTURE.md', 'utf8')
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`ARCHITECTURE.md must hold "${begin}" and, below it, "${end}"`)
  return `${text.slice(0, from)}${begin}\n\n${importTable()}\n\n${text.slice(to)}`
}

function importTable(): string {
  return [
    '| room | holds | may import |',
    '| --- | --- | --- |',
    ...rooms.map((room) => `| \`src/${room.name}\` | ${room.holds} | ${importsOf(room)} |`),
    '',
    '| package | belongs to |',
    '| --- | --- |',
    ...packageOwners.map((owner) => `| \`${owner.name}\` | ${roomsOf(owner)} |`),
    '',
    `Node's \`process\` is open to ${processFiles.map((file) => `\`${file}\``).join(', ')} alone.`,
  ].join('\n')
}

function importsOf({ mayImport, mayImportTypesOf = [] }: Room): string {
  if (mayImport === 'anything') return 'anything'
  return [...mayImport, ...mayImportTypesOf.map((room) => `${room} (types)`)].join(', ') || 'no other room'
}

function roomsOf({ rooms: owners, typesIn = [] }: PackageOwner): string {
  return [...owners, ...typesIn.map((room) => `${room} (types)`)].join(', ')
}
