/** Maximum characters of a tool's text. The structured content is always complete. */
export const maxText = 20_000

type Json = Record<string, unknown>

/**
 * Returns the text of a result: its JSON, shortened if it is too long. Shortened parts contain `truncated`; rows are removed before words.
 */
export function toolText(answer: Json): string {
  const whole = JSON.stringify(answer)
  if (whole.length <= maxText) return whole
  return shorterList(answer) ?? shorterTexts(answer)
}

/** Returns a list with fewer rows; undefined if not even one fits. */
function shorterList(answer: Json): string | undefined {
  const [name, rows] = Object.entries(answer).find((entry): entry is [string, unknown[]] => Array.isArray(entry[1])) ?? []
  if (name === undefined || rows === undefined) return undefined
  const rest = JSON.stringify({ truncated: true, ...answer, [name]: [] }).length
  let length = rest
  let count = 0
  for (const row of rows) {
    length += JSON.stringify(row).length + 1
    if (length > maxText) break
    count += 1
  }
  return count === 0 ? undefined : JSON.stringify({ truncated: true, ...answer, [name]: rows.slice(0, count) })
}

function shorterTexts(answer: Json): string {
  for (const [characters, entries] of [
    [4000, 50],
    [1000, 20],
    [200, 5],
  ] as const) {
    const text = JSON.stringify({ truncated: true, ...answer }, (_name, value: unknown) => shortened(value, characters, entries))
    if (text.length <= maxText) return text
  }
  return JSON.stringify({
    truncated: true,
    ...Object.fromEntries(Object.entries(answer).filter(([name]) => ['id', 'object'].includes(name))),
  })
}

function shortened(value: unknown, characters: number, entries: number): unknown {
  if (typeof value === 'string' && value.length > characters) return `${value.slice(0, characters)} …`.toWellFormed()
  return Array.isArray(value) ? value.slice(0, entries) : value
}
