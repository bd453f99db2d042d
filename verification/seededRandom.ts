import { elementAt } from '../src/base/text/elementAt.ts'

/** Random numbers that are the same on every machine for the same seed. */
export interface SeededRandom {
  /** Returns an integer from 0 to `end - 1`. */
  below(end: number): number
  between(low: number, high: number): number
  chance(share: number): boolean
  pick<One>(list: readonly One[]): One
  shuffled<One>(list: readonly One[]): One[]
}

export function createRandom(seed: string): SeededRandom {
  let state = 0x811c9dc5
  for (const character of seed) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193)
  // mulberry32
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (end: number): number => Math.floor(next() * end)
  return {
    below,
    between: (low, high) => low + next() * (high - low),
    chance: (share) => next() < share,
    pick: (list) => elementAt(list, below(list.length)),
    shuffled(list) {
      const all = [...list]
      for (let last = all.length - 1; last > 0; last -= 1) {
        const other = below(last + 1)
        ;[all[last], all[other]] = [elementAt(all, other), elementAt(all, last)]
      }
      return all
    },
  }
}
