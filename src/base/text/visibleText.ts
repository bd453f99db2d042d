/** Characters that a line of text must not contain: controls, line breaks, and those that turn the direction of what follows. */
const refused = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/u
const visible = /[^\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Returns the rule that a name, a title or another line of text breaks and the fix, or undefined for one that people can read. */
export function unreadable(text: string): string | undefined {
  const character = refusedCharacter(text)
  if (character !== undefined) return `must not contain control characters or changes of direction. Remove ${character}.`
  return text === '' || isVisible(text) ? undefined : invisible
}

/** Returns the first character of a text that a line must not contain, as `U+202E`. */
export function refusedCharacter(text: string): string | undefined {
  const [[character] = ''] = refused.exec(text) ?? []
  return character === undefined ? undefined : codePoint(character)
}

/** Returns a text as one line, with a space in place of each run of characters that a line must not contain. */
export const oneLine = (text: string): string => text.replace(new RegExp(refused, 'gu'), ' ').trim()

/** The rule that a text without visible characters breaks, and the fix. */
export const invisible = 'must have at least one visible character. Send a text that people can read.'

/** True if a text has a character that people can see: not only spaces, controls, marks, fillers and other characters without a glyph. */
export const isVisible = (text: string): boolean => visible.test(text)

/** Returns what a person typed as a readable line of 1 to `max` characters; undefined for any other text. */
export function readableLine(typed: string, max: number): string | undefined {
  const text = typed
    .replace(/\s+/gu, ' ')
    .replace(/[\p{Cc}\p{Cs}]/gu, '')
    .normalize('NFC')
    .trim()
  return text !== '' && [...text].length <= max && unreadable(text) === undefined ? text : undefined
}

/** Returns the name of a character in messages: `U+200B`. */
export const codePoint = (character: string): string => `U+${Number(character.codePointAt(0)).toString(16).toUpperCase().padStart(4, '0')}`
