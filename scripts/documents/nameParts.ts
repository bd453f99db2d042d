import { flat, layOut, type Piece, piecesOf } from './formatSql.ts'

/** The file of the parts that several files use. Their names begin with it. */
export const sharedFile = 'shared'

/** A part gets a name if it has this many lines and occurs twice, or if it has this many characters and occurs often. */
const minimum = { lines: 4, characters: 60, often: 4 }

interface Part {
  files: Set<string>
  /** How many times different statements and parts contain it. */
  uses: number
  /** The text that precedes its first occurrence, and the one that follows. */
  before: string
  after: string
}

/**
 * Lays out statements. Each part in parentheses that occurs repeatedly is printed once, below its name, and represented by the name where it
 * occurs. A name says what the part computes, so a change of a condition rarely changes it; equal names are numbered in the order of occurrence.
 * @returns the text of each statement, and for each file its names with their texts, sorted
 */
export function nameParts(given: readonly { file: string; sql: string }[]): {
  statements: string[]
  definitions: Map<string, [string, string][]>
} {
  const parts = new Map<string, Part>()
  const counted = new Set<string>()
  const names = new Map<string, string>()
  const defined = new Map<string, Map<string, string>>()
  const trees = given.map(({ file, sql }) => ({ file, pieces: piecesOf(unquoted(sql)) }))
  for (const { file, pieces } of trees) count(pieces, file)
  const statements = trees.map(({ pieces }) => layOut(pieces.map(named), 0).join('\n'))
  const { compare } = new Intl.Collator('en', { numeric: true })
  const definitions = [...defined].map(([file, texts]) => [file, [...texts].toSorted(([a], [b]) => compare(a, b))] as const)
  return { statements, definitions: new Map(definitions) }

  function count(pieces: readonly Piece[], file: string): void {
    const isNew = !counted.has(flat(pieces))
    counted.add(flat(pieces))
    for (const [index, piece] of pieces.entries()) {
      if (typeof piece === 'string') continue
      const [before, after] = [pieces[index - 1], pieces[index + 1]].map((one) => (typeof one === 'string' ? one : ''))
      const part = parts.get(flat(piece)) ?? { files: new Set(), uses: 0, before: before ?? '', after: after ?? '' }
      parts.set(flat(piece), part)
      part.files.add(file)
      if (isNew) part.uses += 1
      count(piece, file)
    }
  }

  function named(piece: Piece): Piece {
    if (typeof piece === 'string') return piece
    const text = flat(piece)
    const known = names.get(text)
    if (known) return [known]
    const inner = piece.map(named)
    const part = parts.get(text)
    const lines = layOut(inner, 0)
    const isOften = (part?.uses ?? 0) >= minimum.often && text.length >= minimum.characters
    if (!part || part.uses < 2 || (lines.length < minimum.lines && !isOften)) return inner
    const [file = '', other] = part.files
    const place = other ? sharedFile : file
    const texts = defined.get(place) ?? new Map<string, string>()
    const base = `${other ? `${sharedFile}.` : ''}${describe(text, part)}`
    let name = base
    for (let number = 2; texts.has(name); number += 1) name = `${base}_${number}`
    defined.set(place, texts.set(name, lines.join('\n')))
    names.set(text, `{${name}}`)
    return [`{${name}}`]
  }
}

/** Removes the quotes around names that are not reserved words. */
const unquoted = (sql: string): string =>
  sql.replace(
    /'(?:[^']|'')*'|"(?!(?:and|else|end|from|group|limit|offset|or|order|set|user|values|when|where|with)")(\w+)"/g,
    (text, name) => name ?? text,
  )

/** Returns what a part computes (its alias, table or function, or the column that its condition begins with), and the tables around it that it reads. */
function describe(text: string, { before, after }: Part): string {
  const code = text.replace(/'(?:[^']|'')*'/g, '')
  const source =
    /\) as (\w+)|\b(?:from|join)(?: lateral)? (\w+)(?: (?:as )?(?!(?:cross|group|inner|join|left|limit|on|order|where)\b)(\w+))?/gi
  const inside = new Set([...code.matchAll(source)].map(([, derived, table, alias]) => derived ?? alias ?? table))
  const columns = [...code.matchAll(/\b([a-z]\w*)\.(\w+)/g)].map(([, table = '', column = '']) => ({ table, column }))
  const around = columns.filter(({ table }) => !inside.has(table))
  const what = (/^ as (\w+)/.exec(after) ?? /^select .*?from (\w+)/i.exec(code) ?? /(\w+)$/.exec(before))?.[1]
  if (what === undefined) {
    const first = around.find(({ column }) => !/(?:^|_)id$/.test(column))
    return `${first ? `${first.table}_${first.column}` : (around[0]?.table ?? /\w+/.exec(code))}_condition`
  }
  const tables = [...new Set(around.map(({ table }) => table))].join('_and_')
  return tables ? `${what}_of_${tables}` : [what, ...(/'\{"(\w+)":(\w+)\}'/.exec(text)?.slice(1) ?? [])].join('_')
}
