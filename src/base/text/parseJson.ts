/** The text names a member of an object twice. RFC 8259 section 4 leaves open which one counts, so readers would disagree. */
export class DuplicateMember extends SyntaxError {
  constructor(name: string) {
    super(`The member ${name.slice(0, 100)} occurs twice in one object. Remove one of them.`)
    this.name = 'DuplicateMember'
  }
}

/**
 * Parses JSON that somebody else wrote.
 * @throws SyntaxError, DuplicateMember
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  const name = duplicateMember(text)
  if (name !== undefined) throw new DuplicateMember(name)
  return value
}

/** Returns the first name that occurs twice in one object of a valid JSON text. Takes one pass. */
export function duplicateMember(text: string): string | undefined {
  /** The names in each open object; undefined for an array. */
  const open: (Set<string> | undefined)[] = []
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (character === '{') open.push(new Set())
    else if (character === '[') open.push(undefined)
    else if (character === '}' || character === ']') open.pop()
    else if (character === '"') {
      const end = endOfString(text, at)
      const next = afterSpace(text, end + 1)
      if (text[next] === ':') {
        const name: string = JSON.parse(text.slice(at, end + 1))
        const names = open.at(-1)
        if (names?.has(name)) return name
        names?.add(name)
      }
      at = next - 1
    }
  }
  return undefined
}

/** Returns the index of the quote that ends the string. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text[at - 1 - slashes] === '\\') slashes += 1
  return slashes % 2 === 1
}

function afterSpace(text: string, start: number): number {
  let at = start
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1
  return at
}
