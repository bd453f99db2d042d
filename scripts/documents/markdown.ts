/** Returns a Markdown table. Cells are escaped. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

const cell = (text: string): string => text.replace(/\s+/g, ' ').replaceAll('|', '\\|').trim() || '–'

export const code = (text: string): string => `\`${text.replace(/\s+/g, ' ')}\``

export const codes = (texts: Iterable<string>): string => [...texts].map(code).join(', ')

/** Returns the parts of a document that exist, separated by empty lines. */
export const paragraphs = (parts: readonly (string | undefined)[]): string => `${parts.filter((part) => part !== undefined).join('\n\n')}\n`
