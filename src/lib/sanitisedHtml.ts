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

/** Lowers each heading by one level, so that the page keeps its only heading of level 1. Sanitised headings have no attributes. */
export const lowerHeadings = (html: string): string =>
  html.replace(/<(\/?)h([1-5])>/g, (_all, slash: string, level: string) => `<${slash}h${Number(level) + 1}>`)
