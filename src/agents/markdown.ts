import { isLinkable } from '../lib/webUrl.ts'

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
function plain(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
    .replace(/[\\`*_[\]{}<>#|~&!^$=+@]/g, '\\$&')
    .replaceAll('://', '\\://')
    .replace(/^(\d+)([.)])(?=\s|$)/, '$1\\$2')
    .replace(/^-/, '\\-')
    .replace(/(www)\./gi, '$1\\.')
}

/** Renders a word as code. */
export function code(text: string): Markdown {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const [fence, space] = ['`'.repeat(longest + 1), longest > 0 ? ' ' : '']
  return new Markdown(`${fence}${space}${text.replace(/\s+/g, ' ')}${space}${fence}`)
}

/** Renders a code block: commands, or a URL. Its lines must be trusted. */
export const block = (language: 'sh' | 'text' | 'json', lines: string): Markdown => new Markdown(`\`\`\`${language}\n${lines}\n\`\`\``)

/**
 * Renders a link. The URL can come from the school's data: characters that would end it are percent-encoded, and the label is printed
 * without a link unless the URL is http, https or mailto.
 */
export const link = (label: string, address: string): Markdown =>
  isLinkable(encodedAddress(address)) ? markdown`[${label}](${new Markdown(encodedAddress(address))})` : markdown`${label}`

/** Renders a URL as a link that shows it. */
export const autolink = (url: string): Markdown =>
  isLinkable(encodedAddress(url)) ? new Markdown(`<${encodedAddress(url)}>`) : markdown`${url}`

const encodedAddress = (address: string): string =>
  address.replace(/[\s()<>\\|"`\p{Cc}\p{Cf}]/gu, (character) => encodeURIComponent(character).replace('(', '%28').replace(')', '%29'))

/** Renders a table. Each row needs as many cells as there are columns. */
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
