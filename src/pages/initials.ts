import { plainText } from './plainText.ts'

/** Returns the first characters of the first and the last word of a name. */
export function initialsOf(name: string): string {
  const words = plainText(name, 60).split(' ').filter(Boolean)
  return [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => [...(word ?? '')][0]?.toUpperCase() ?? '').join('')
}
