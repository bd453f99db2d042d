/** Characters that a line of text must not contain: controls, line breaks, and those that turn the direction of what follows. */
const refused = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u
const visible = /[^\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Returns the rule that a name, a title or another line of text breaks and the fix, or undefined for one that people can read. */
export function unreadable(text: string): string | undefined {
  const [character] = refused.exec(text) ?? []
  if (character !== undefined) {
    const code = Number(character.codePointAt(0)).toString(16).toUpperCase().padStart(4, '0')
    return `must not contain control characters or changes of direction. Remove U+${code}.`
  }
  return text !== '' && !visible.test(text) ? 'must have at least one visible character. Send a text that people can read.' : undefined
}
