import { isLinkable } from '../base/net/webUrl.ts'
import { oneLine } from '../base/text/visibleText.ts'

/** A piece of trusted Markdown. Every other text is untrusted and is escaped before it becomes a part of one. */
export class Markdown {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type Part = string | number | Markdown | readonly Markdown[]

/** Template tag that escapes every inserted text, so that untrusted names cannot contain markup. */
export function markdown(texts: TemplateStringsArray, ...parts: Part[]): Markdown {
  return new Markdown(texts.map((text, index) => text + textOf(parts[index] ?? '')).join(''))
}

function textOf(part: Part): string {
  if (part instanceof Markdown) return part.text
  if (typeof part === 'object') return part.map(({ text }) => text).join('\n')
  return plain(String(part))
}

/** Escapes a text to a single line without markup, in CommonMark and in the tables and bare links of GitHub's dialect. */
const plain = (text: string): string => escaped(singleSpaced(text).trim())

const singleSpaced = (text: string): string => oneLine(text).replace(/ {2,}/g, ' ')

function escaped(line: string): string {
  return line
    .replace(/[\\`*_[\]{}<>#|~&!^$=+@]/g, '\\$&')
    .replaceAll('://', '\\://')
    .replace(/^(\d+)([.)])(?=\s|$)/, '$1\\$2')
    .replace(/^-/, '\\-')
    .replace(/(www)\./gi, '$1\\.')
}

export function code(text: string): Markdown {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const [fence, space] = ['`'.repeat(longest + 1), longest > 0 ? ' ' : '']
  return new Markdown(`${fence}${space}${text.replace(/\s+/g, ' ')}${space}${fence}`)
}

/** Renders a word as code inside the cell of a table, where a bar would begin the next cell. */
export const cellCode = (text: string): Markdown => new Markdown(code(text).text.replaceAll('|', '\\|'))

/** Renders a text of the declarations: its words between backticks are code, everything else is escaped. */
export const prose = (text: string): Markdown =>
  new Markdown(
    singleSpaced(text)
      .split(/(`[^`|]+`)/)
      .map((part) => (/^`[^`|]+`$/.test(part) ? part : escaped(part)))
      .join(''),
  )

/** Renders a code block: commands, or a URL. Its lines must be trusted. */
export const block = (language: 'sh' | 'text' | 'json', lines: string): Markdown => new Markdown(`\`\`\`${language}\n${lines}\n\`\`\``)

/**
 * Renders a link. The URL can come from the school's data: characters that would end it are percent-encoded, and the label is printed
 * without a link unless the URL is http, https or mailto.
 */
export const link = (label: string, address: string): Markdown =>
  isLinkable(encodedAddress(address)) ? markdown`[${label}](${new Markdown(encodedAddress(address))})` : markdown`${label}`

export const autolink = (url: string): Markdown =>
  isLinkable(encodedAddress(url)) ? new Markdown(`<${encodedAddress(url)}>`) : markdown`${url}`

const encodedAddress = (address: string): string =>
  address.replace(/[\s()<>\\|"`\p{Cc}\p{Cf}]/gu, (character) => encodeURIComponent(character).replace('(', '%28').replace(')', '%29'))

export function table(columns: readonly string[], rows: readonly (readonly Part[])[]): Markdown {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return new Markdown([line(columns), line(columns.map(() => '---')), ...rows.map((row) => line(row.map(cell)))].join('\n'))
}

const cell = (part: Part): string => textOf(part) || '–'

/** Joins blocks with blank lines; undefined blocks are left out. */
export const document = (blocks: readonly (Markdown | undefined)[]): string =>
  `${blocks
    .filter((one) => one !== undefined)
    .map(({ text }) => text)
    .join('\n\n')}\n`
