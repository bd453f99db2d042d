/** Limits of a text in Markdown or HTML. They bound the time that rendering takes, and the size of what it returns. */
export const markupLimits = {
  lines: 20_000,
  /** Characters that can begin or end markup, counted wherever they occur. */
  marks: 40_000,
  /** Columns times rows, over all tables of the text. */
  tableCells: 10_000,
  /** Elements inside one another, in the rendered HTML. */
  depth: 100,
  htmlLength: 1_000_000,
} as const

const { lines, marks, tableCells, depth } = markupLimits

export const markupLimitsText = `At most ${lines} lines, ${marks} markup characters, ${tableCells} table cells and ${depth} levels.`

const lineBreak = /\r\n?|\n/
const markupCharacter = /[[\]*_`<>&!|\\]/g
/** A line that can divide the head of a table from its rows, alone or inside lists and quotations. */
const tableDelimiter = /^[\s>|:\-*+.)\d]*$/

/** Returns the rule that a text with markup breaks and the fix, or undefined for a text that can be rendered. Takes linear time. */
export function markupExcess(text: string): string | undefined {
  const found = text.split(lineBreak)
  if (found.length > lines) return excess(lines, 'lines', found.length)
  const marksFound = text.match(markupCharacter)?.length ?? 0
  if (marksFound > marks) return excess(marks, 'markup characters such as * _ [ ] < >', marksFound)
  const cells = countTableCells(found)
  if (cells > tableCells) return excess(tableCells, 'table cells', cells)
  return undefined
}

const excess = (limit: number, noun: string, found: number): string => `must have at most ${limit} ${noun}, has ${found}. Split the text.`

/** Returns the number of marks and lines of a text: the time that rendering takes grows with it. */
export const markupWork = (text: string): number => (text.match(markupCharacter)?.length ?? 0) + text.split(lineBreak).length

/** An upper bound: a row counts with all columns of its table, since missing cells are filled in. */
function countTableCells(found: readonly string[]): number {
  let cells = 0
  let columns = 0
  for (const line of found) {
    if (line.trim() === '') columns = 0
    else if (line.includes('-') && tableDelimiter.test(line)) columns = Math.max(columns, line.split('|').length)
    cells += columns
  }
  return cells
}
