/** The name that someone who wrote `typed` most likely meant, or undefined where none is near. */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  const text = typed.slice(0, 60).toLowerCase()
  const ranked = names.map((name) => ({ name, distance: distance(text, name.toLowerCase()) })).sort((a, b) => a.distance - b.distance)
  const best = ranked[0]
  return best && best.distance <= Math.max(1, Math.ceil(best.name.length / 3)) ? best.name : undefined
}

/** Levenshtein distance. */
function distance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let row = 1; row <= left.length; row++) {
    const current = [row]
    for (let column = 1; column <= right.length; column++) {
      const replaced = (previous[column - 1] as number) + (left[row - 1] === right[column - 1] ? 0 : 1)
      current.push(Math.min(replaced, (previous[column] as number) + 1, (current[column - 1] as number) + 1))
    }
    previous = current
  }
  return previous[right.length] as number
}
