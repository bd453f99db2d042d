import { audienceOf, type Caller } from '../../base/caller.ts'

export interface SchoolCounts {
  courses: number
  lecturers: number
  students: number
  members: number
}

/** Returns the counts of a school; null if the school hides them from the caller. */
export function shownCounts(row: { counts: unknown; settings: unknown }, { caller }: { caller: Caller }): SchoolCounts | null {
  const { show_counts = true } = (row.settings ?? {}) as { show_counts?: boolean }
  return show_counts || audienceOf(caller) === 'staff' ? (row.counts as SchoolCounts | null) : null
}
