// Control, format (including bidi overrides and zero width), surrogate, private, unassigned, separators, and characters that render as
// nothing.
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

// Pages put names in these quotes: a name that contains them could seem to end early and continue as text of the page.
const quotes = /[«»‹›“”„‟]/g

const maxCodePoints = 8

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * Cleans an untrusted text for display: one line, no invisible characters, no effect on the writing direction, at most `limit`
 * user-perceived characters.
 */
export function plainText(text: unknown, limit: number): string {
  if (typeof text !== 'string') return ''
  const clean = text
    // Far above any legitimate text; limits the work below.
    .slice(0, limit * 64)
    .replace(/\s+/gu, ' ')
    .replace(unseen, '')
    .replace(quotes, "'")
    .normalize('NFC')
    .trim()
  const characters: string[] = []
  for (const { segment } of graphemes.segment(clean)) {
    if (characters.length === limit) return `${characters.join('').trimEnd()}…`
    // Combining marks are limited: without a limit they cover the lines around the text.
    characters.push([...segment].slice(0, maxCodePoints).join(''))
  }
  return characters.join('')
}
