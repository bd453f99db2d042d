/** The groups of an item, from the outermost to the innermost. */
type Path = readonly string[]

/** Waiting items, which groups take in turns: each group passes its turn on to its own groups. */
interface Turns<Item> {
  size(): number
  add(path: Path, item: Item): void
  /** Removes and returns the oldest item of the group whose turn it is. */
  take(): Item | undefined
  /**
   * Removes and returns the newest item of the group that has most of them, at each level. Of groups with equally many, that of `path` is
   * chosen, otherwise the last: a newcomer takes no place of a group that has no more than its own.
   */
  removeFromLongest(path: Path): Item | undefined
}

export function createTurns<Item>(): Turns<Item> {
  // A group joins at the end, and returns there after its turn. It leaves when it is empty, so that it cannot come back to the front.
  const groups = new Map<string, Turns<Item>>()
  const own: Item[] = []
  let size = 0

  const removed = (item: Item | undefined): Item | undefined => {
    if (item !== undefined) size -= 1
    return item
  }

  return {
    size: () => size,
    add([name, ...inner], item) {
      size += 1
      if (name === undefined) return void own.push(item)
      const group = groups.get(name) ?? createTurns<Item>()
      groups.set(name, group)
      group.add(inner, item)
    },
    take() {
      for (const [name, group] of groups) {
        groups.delete(name)
        const item = group.take()
        if (group.size() > 0) groups.set(name, group)
        return removed(item)
      }
      return removed(own.shift())
    },
    removeFromLongest([name = '', ...inner]) {
      let longest: [string, Turns<Item>] | undefined
      for (const [key, group] of groups) {
        const most = longest?.[1].size() ?? 0
        if (group.size() > most || (group.size() === most && longest?.[0] !== name)) longest = [key, group]
      }
      if (!longest) return removed(own.pop())
      const [key, group] = longest
      const item = group.removeFromLongest(key === name ? inner : [])
      if (group.size() === 0) groups.delete(key)
      return removed(item)
    },
  }
}
