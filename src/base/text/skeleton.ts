import { readFileSync } from 'node:fs'
import { onFirstUse } from '../process/lazily.ts'

// Read with the first name that is compared: reading takes longer than many other steps of a start.
const prototypes = onFirstUse(() => readPrototypes(readFileSync(new URL('confusables.txt', import.meta.url), 'utf8')))

/**
 * Returns the skeleton of a text: texts that look alike have the same skeleton (Unicode Technical Standard 39, section 4).
 * Use it only for comparison, never for display.
 */
export function skeleton(text: string): string {
  const visible = text.normalize('NFD').replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  const table = prototypes()
  return [...visible]
    .map((character) => table.get(character) ?? character)
    .join('')
    .normalize('NFD')
}

function readPrototypes(table: string): ReadonlyMap<string, string> {
  const lines = table.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.flatMap((line) => {
      const [prototype = '', characters = ''] = line.split(';')
      return characters.split(' ').map((code): [string, string] => [textOf(code), textOf(prototype)])
    }),
  )
}

function textOf(codes: string): string {
  return String.fromCodePoint(...codes.split(' ').map((code) => Number.parseInt(code, 16)))
}
