const width = 120
const clause =
  /^(?:select|from|where|order by|group by|having|limit|offset|union(?: all)?|(?:left |inner |cross )?join(?: lateral)?|values|set|returning|with|on conflict)\b/i
const link = /^(?:and|or|when|else|end)\b/i

/** A piece of a statement: a text without parentheses, or what is inside of a pair. */
export type Piece = string | Piece[]

export function piecesOf(sql: string): Piece[] {
  const stack: Piece[][] = [[]]
  const tokens = sql.match(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\(\s*|\s*\)|(?:(?!\s*\))[^'"()])+/g) ?? []
  for (const token of tokens) {
    const top = stack.at(-1) ?? []
    if (token.startsWith('(')) {
      const inner: Piece[] = []
      top.push(inner)
      stack.push(inner)
    } else if (token.endsWith(')')) stack.pop()
    else {
      const last = top.at(-1)
      if (typeof last === 'string') top[top.length - 1] = last + token.replace(/\s+/g, ' ')
      else top.push(token.replace(/\s+/g, ' '))
    }
  }
  return stack[0] ?? []
}

export const flat = (pieces: readonly Piece[]): string =>
  pieces.map((piece) => (typeof piece === 'string' ? piece : `(${flat(piece)})`)).join('')

/** Returns a line for each clause; long clauses are divided before each link and after each comma, and what is in parentheses is indented. */
export function layOut(pieces: readonly Piece[], depth: number): string[] {
  const indent = '  '.repeat(depth)
  const whole = flat(pieces).trim()
  if (indent.length + whole.length <= width && !/^select\b.* from /.test(whole)) return [indent + whole]
  return divide(pieces, clause).flatMap((part) => {
    const text = flat(part).trim()
    if (indent.length + text.length <= width) return [indent + text]
    const [first = [], ...rest] = divide(part, link, true)
    const inner = clause.test(text) ? depth + 1 : depth
    return filled([withInner(first, depth), ...rest.map((one) => withInner(one, inner))])
  })
}

/** Joins items of a list that fit on one line. */
function filled(items: readonly string[][]): string[] {
  const lines: string[] = []
  let isOpen = false
  for (const item of items) {
    const [line = ''] = item
    const joined = `${lines.at(-1)} ${line.trimStart()}`
    if (isOpen && item.length === 1 && joined.length <= width) lines[lines.length - 1] = joined
    else lines.push(...item)
    isOpen = item.length === 1 && line.endsWith(',')
  }
  return lines
}

/** Lays out a part, and on separate lines what its long parentheses contain. */
function withInner(pieces: readonly Piece[], depth: number): string[] {
  const indent = '  '.repeat(depth)
  if (indent.length + flat(pieces).trim().length <= width) return [indent + flat(pieces).trim()]
  const lines: string[] = []
  let line = indent
  for (const piece of pieces) {
    if (typeof piece === 'string') line += line === indent ? piece.trimStart() : piece
    else if (indent.length + flat(piece).length + 2 <= width / 2) line += `(${flat(piece)})`
    else {
      lines.push(`${line}(`, ...layOut(piece, depth + 1))
      line = `${indent})`
    }
  }
  return [...lines, line.trimEnd()]
}

function divide(pieces: readonly Piece[], at: RegExp, afterCommas = false): Piece[][] {
  const parts: Piece[][] = [[]]
  for (const piece of pieces) {
    if (typeof piece !== 'string') {
      parts.at(-1)?.push(piece)
      continue
    }
    // Words in quotes are not clauses: a split happens only before a word that follows a space.
    const words = piece.match(/'(?:[^']|'')*'|"(?:[^"]|"")*"|[^\s'"]+|\s+/g) ?? []
    let rest = piece
    let text = ''
    for (const word of words) {
      const isBoundary =
        !/^["'\s]/.test(word) &&
        at.test(rest) &&
        (text === '' || /[\s,]$/.test(text)) &&
        !/\b(?:left|inner|cross|between\s\S+)\s$/i.test(text)
      if (isBoundary && (text.trim() !== '' || (parts.at(-1)?.length ?? 0) > 0)) {
        parts.at(-1)?.push(text.trimEnd())
        parts.push([])
        text = ''
      }
      text += word
      rest = rest.slice(word.length)
      if (afterCommas && word.endsWith(',')) {
        parts.at(-1)?.push(text)
        parts.push([])
        text = ''
      }
    }
    parts.at(-1)?.push(text)
  }
  return parts.filter((part) => flat(part).trim() !== '')
}
