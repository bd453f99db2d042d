/** The text without what PostgreSQL cannot keep: NUL and halves of surrogate pairs become U+FFFD. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd')
}

/** JSON that a jsonb column takes, whatever strings the value holds. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === 'string') return storableText(member)
    if (typeof member === 'bigint') return String(member)
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
    return Object.fromEntries(Object.entries(member).map(([name, inner]) => [storableText(name), inner]))
  })
}
