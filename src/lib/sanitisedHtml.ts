import { unescapeHtml } from './escapeHtml.ts'

/** Returns the words of sanitised HTML on one line, cut after `limit` characters at the end of a word. */
export function textOfHtml(html: string, limit: number): string {
  const text = unescapeHtml(html.slice(0, limit * 20).replace(/<[^>]*>?/g, ' '))
    .replace(/\s+/g, ' ')
    .trim()
  return shortened(text, limit)
}

/** Cuts a text at the end of a word, so that it has at most `limit` characters. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text
  const cut = text.slice(0, limit)
  const end = cut.lastIndexOf(' ')
  return `${(end > limit / 2 ? cut.slice(0, end) : cut).toWellFormed().trimEnd()}…`
}

/**
 * Lowers all headings by the same number of levels, so that the highest one has at least the level `top` (1 to 6): a rich text then
 * continues the headings of its page. Sanitised headings have no attributes.
 */
export function lowerHeadings(html: string, top: number): string {
  const levels = [...html.matchAll(/<h([1-6])>/g)].map(([, level]) => Number(level))
  const steps = Math.max(0, top - Math.min(6, ...levels))
  return html.replace(/<(\/?)h([1-6])>/g, (_all, slash: string, level: string) => `<${slash}h${Math.min(6, Number(level) + steps)}>`)
}
