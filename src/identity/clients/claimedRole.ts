import { imitatedName } from './imitatedName.ts'

/** Words with which an app claims to speak for the school or for this service, in the languages of the pages. */
const roleWords = ['official', 'admin', 'administrator', 'administration', 'staff', 'support', 'helpdesk', 'security', 'moderator']
const germanRoleWords = ['offiziell', 'offizielle', 'verwaltung', 'schulleitung', 'sekretariat', 'kundendienst', 'sicherheit']
const ownName = 'Schoolgate'

const words = [...roleWords, ...germanRoleWords]
const separators = /[^\p{L}\p{M}\p{N}]+/u

/**
 * Returns the word with which a client's name claims a role of the school, or this product's name if the name contains it; undefined if
 * there is none. Role words count as whole words only: "Adminton" is a name.
 */
export function claimedRole(name: unknown): string | undefined {
  if (typeof name !== 'string') return undefined
  const parts = name.slice(0, 1000).split(separators)
  const claimed = parts.find((part) => words.some((word) => part.length <= 3 * word.length && isWord(part, word)))
  return claimed ?? imitatedName(name, [ownName])
}

const isWord = (part: string, word: string): boolean => [...part].length === [...word].length && imitatedName(part, [word]) !== undefined
