// Control, format (among them bidi overrides and zero width), surrogate, private, unassigned, separators, and what renders as nothing.
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

// The page puts names between these: a name that holds them could seem to end early and go on in our voice.
const quotes = /[«»‹›]/g

const maxCodePoints = 8

/**
 * A text that a stranger chose, made fit to stand in a page: one line, nothing invisible, no direction of its own,
 * at most `limit` characters as people count them.
 */
export function plainText(text: unknown, limit: number): string {
  if (typeof text !== 'string') return ''
  const clean = text
    // Far above any honest text, and a bound on the work below.
    .slice(0, limit * 64)
    .replace(/\s+/gu, ' ')
    .replace(unseen, '')
    .replace(quotes, "'")
    .normalize('NFC')
    .trim()
  const characters: string[] = []
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(clean)) {
    if (characters.length === limit) return `${characters.join('').trimEnd()}…`
    // One character may carry any number of marks, which then paint over the lines around it.
    characters.push([...segment].slice(0, maxCodePoints).join(''))
  }
  return characters.join('')
}
