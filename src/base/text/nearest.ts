import { elementAt } from './elementAt.ts'

const longestWord = 60

/** Returns the candidate that is most similar to a misspelt name, with at most `most` edits; undefined if none is similar. */
export function nearest(word: string, candidates: readonly string[], most = Math.max(2, Math.floor(word.length / 3))): string | undefined {
  if (word.length > longestWord) return undefined
  const lower = word.toLowerCase()
  const ranked = candidates
    // The difference in length is a lower bound of the distance.
    .filter((candidate) => Math.abs(candidate.length - word.length) <= most)
    .map((candidate) => ({ candidate, distance: editDistance(lower, candidate.toLowerCase(), most) }))
    .filter(({ distance }) => distance <= most)
    .toSorted((a, b) => a.distance - b.distance)
  return ranked[0]?.candidate
}

/** Returns the number of edits, or any number above `most` if there are more. */
function editDistance(left: string, right: string, most: number): number {
  let row = Array.from({ length: right.length + 1 }, (_, at) => at)
  for (const [i, character] of [...left].entries()) {
    const next = [i + 1]
    let least = i + 1
    for (let j = 1; j <= right.length; j += 1) {
      const replaced = elementAt(row, j - 1) + (character === right[j - 1] ? 0 : 1)
      const edits = Math.min(elementAt(row, j) + 1, elementAt(next, j - 1) + 1, replaced)
      next[j] = edits
      if (edits < least) least = edits
    }
    if (least > most) return least
    row = next
  }
  return elementAt(row, right.length)
}
