/** Times of the demo are milliseconds since 1970. */
export const hour = 3_600_000
export const day = 24 * hour

/** What the demo's own people did last lies so long before now: what a larger school adds comes after it. */
export const quietMs = 1.1 * day

/** The same day of another month, or its last one where it is shorter (UTC). */
export function addMonths(time: number, months: number): number {
  const from = new Date(time)
  const last = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months + 1, 0)).getUTCDate()
  const to = new Date(time)
  to.setUTCDate(1)
  to.setUTCMonth(from.getUTCMonth() + months)
  to.setUTCDate(Math.min(from.getUTCDate(), last))
  return to.getTime()
}

/** Something that happened once, and its place among what is like it. */
export interface Happening {
  at: number
  /** From 0, in the order of time. Ids follow it. */
  number: number
}

/** Numbers what happened in the order of time. */
export function inOrder<One extends Happening>(list: readonly One[]): One[] {
  const ordered = list.toSorted((one, other) => one.at - other.at)
  for (const [number, one] of ordered.entries()) one.number = number
  return ordered
}
