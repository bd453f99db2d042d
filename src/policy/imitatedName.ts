import { skeleton } from '../lib/skeleton.ts'

/** Names that are shorter are looked for as whole words only: «Art» stands in half the dictionary. */
const shortestPart = 5

/** A text that turns round what follows it shows its letters from the back. */
const override = /[\u202a-\u202e\u2066-\u2069]/

/**
 * The protected name that a client's name looks like, as itself or as a part; undefined where it looks like none.
 * Look-alike letters of other scripts, width, case, marks, invisible characters, spaces and signs between the letters count for nothing.
 */
export function imitatedName(name: unknown, protectedNames: readonly string[]): string | undefined {
  if (typeof name !== 'string') return undefined
  const text = name.slice(0, 1000)
  const directions = override.test(text) ? [text, [...text].reverse().join('')] : [text]
  // Both, since compatibility knows circled letters and hides others: it turns ϲ into ς, which looks like nothing of the kind.
  const readings = directions.flatMap((reading) => [reading, reading.normalize('NFKC')])
  return protectedNames.find((protectedName) => readings.some((reading) => looksLike(reading, protectedName)))
}

function looksLike(name: string, protectedName: string): boolean {
  const [seen, wanted] = [look(name), look(protectedName)]
  if (wanted === '') return false
  if (seen === wanted) return true
  if (wanted.length >= shortestPart) return seen.includes(wanted)
  return name.split(/[^\p{L}\p{M}\p{N}]+/u).some((word) => look(word) === wanted)
}

/** What remains of a name at a glance. */
function look(name: string): string {
  const emailTemplates = skeleton(skeleton(name).toLowerCase()).toLowerCase()
  const bare = emailTemplates.replace(/\p{M}/gu, '')
  // A capital I looks like a small l, and a small i is its other case: the three are one.
  return (bare.replace(/[^\p{L}\p{N}]/gu, '') || bare.trim()).replaceAll('i', 'l')
}
