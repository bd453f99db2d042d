export const maxText = 20_000

export type Json = Record<string, unknown>

export const lengthOf = (value: unknown): number => (JSON.stringify(value) ?? '').length

/**
 * Returns the text of a result: its JSON. If it is too long, long texts and lists inside it are shortened, and it contains `truncated`. The
 * page information of a list stays complete, so that the next page can be requested. Programs find the whole result in the structured content.
 */
export function toolText(response: Json): string {
  const whole = JSON.stringify(response)
  if (whole.length <= maxText) return whole
  const { page, ...rest } = response
  const paging = page === undefined ? {} : { page }
  for (const [characters, entries] of [
    [4000, 50],
    [1000, 20],
    [200, 5],
  ] as const) {
    const short = JSON.parse(JSON.stringify(rest, (_name, value: unknown) => shortened(value, characters, entries))) as Json
    const text = JSON.stringify({ truncated: true, ...short, ...paging })
    if (text.length <= maxText) return text
  }
  const { data, ...others } = rest
  const row = Array.isArray(data) ? { data: data.slice(0, 1).map(identityOf) } : {}
  return JSON.stringify({ truncated: true, ...identityOf(others), ...row, ...paging })
}

const identityOf = (row: Json): Json =>
  Object.fromEntries(Object.entries(row).filter(([name, value]) => ['id', 'object'].includes(name) && lengthOf(value) < 200))

function shortened(value: unknown, characters: number, entries: number): unknown {
  if (typeof value === 'string' && value.length > characters) return `${value.slice(0, characters)} …`.toWellFormed()
  return Array.isArray(value) ? value.slice(0, entries) : value
}
