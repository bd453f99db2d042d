/** Times of the demo are milliseconds since 1970. */
export const hour = 3_600_000
export const day = 24 * hour

/** The last activity of the demo is this long before now. */
export const quietMs = 1.1 * day

/** Returns the same day of another month, or its last day (UTC). */
export function addMonths(time: number, months: number): number {
  const from = new Date(time)
  const last = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months + 1, 0)).getUTCDate()
  const to = new Date(time)
  to.setUTCDate(1)
  to.setUTCMonth(from.getUTCMonth() + months)
  to.setUTCDate(Math.min(from.getUTCDate(), last))
  return to.getTime()
}

/** An event of the generated activity, and its number among those of its kind. */
export interface Happening {
  at: number
  /** From 0, in order of time. The id of the row follows from it. */
  number: number
}

export function inOrder<One extends Happening>(list: readonly One[]): One[] {
  const ordered = list.toSorted((one, other) => one.at - other.at)
  for (const [number, one] of ordered.entries()) one.number = number
  return ordered
}
