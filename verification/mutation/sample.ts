/** Returns a uniform sample of the items in their order. The same seed draws the same items. */
export function draw<Item>(items: readonly Item[], count: number, random: () => number): Item[] {
  const keyed = items.map((item, at) => ({ item, at, key: random() })).toSorted((a, b) => a.key - b.key)
  return keyed
    .slice(0, count)
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

/** Creates a seeded random generator (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
