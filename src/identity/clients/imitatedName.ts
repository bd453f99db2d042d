import { skeleton } from '../../base/text/skeleton.ts'

/** Shorter names are compared as whole words only: «Art» is a part of many words. */
const shortestPart = 5

/** So many words of a protected name, in their order, are an imitation: «LF School of Making» of «Lanternfield School of Making». */
const sharedWords = 3

/** A text that reverses the direction shows its letters from the back. */
const override = /[\u202a-\u202e\u2066-\u2069]/

/**
 * Returns the protected name that a client's name imitates, completely or in part; undefined if there is none. Ignores look-alike letters
 * of other scripts, width, case, marks, invisible characters, spaces and signs between letters.
 */
export function imitatedName(name: unknown, protectedNames: readonly string[]): string | undefined {
  if (typeof name !== 'string') return undefined
  const text = name.slice(0, 1000)
  const directions = override.test(text) ? [text, [...text].reverse().join('')] : [text]
  // Both forms, because compatibility decomposition reads circled letters but changes others: it turns ϲ into ς, which does not look alike.
  const readings = directions.flatMap((reading) => [reading, reading.normalize('NFKC')])
  return protectedNames.find((protectedName) => readings.some((reading) => isImitationOf(reading, protectedName)))
}

function isImitationOf(name: string, protectedName: string): boolean {
  const [seen, wanted] = [skeletonOf(name), skeletonOf(protectedName)]
  if (wanted === '') return false
  if (seen === wanted) return true
  if (runsOf(protectedName).some((run) => seen.includes(run))) return true
  if (wanted.length >= shortestPart) return seen.includes(wanted)
  return name.split(/[^\p{L}\p{M}\p{N}]+/u).some((word) => skeletonOf(word) === wanted)
}

function runsOf(name: string): string[] {
  const words = name.split(/\s+/u)
  const count = Math.max(0, words.length - sharedWords + 1)
  return Array.from({ length: count }, (_, at) => skeletonOf(words.slice(at, at + sharedWords).join(' '))).filter((run) => run !== '')
}

/** Returns the skeleton of a name: names that look alike have the same. */
export function skeletonOf(name: string): string {
  const folded = skeleton(skeleton(name).toLowerCase()).toLowerCase()
  const bare = folded.replace(/\p{M}/gu, '')
  // A capital I looks like a small l, and a small i is its lower case: all three become one.
  return (bare.replace(/[^\p{L}\p{N}]/gu, '') || bare.trim()).replaceAll('i', 'l')
}

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
