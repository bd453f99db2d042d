import type { View } from '../../engine/declare/views.ts'

/** Counts of a course that are stored twice: for all its lessons, and for the published ones. */
type CountColumn =
  | 'lessons_count'
  | 'published_lessons_count'
  | 'previews_count'
  | 'published_previews_count'
  | 'duration_minutes'
  | 'published_duration_minutes'

/** Derives a count of all lessons for callers who see drafts, and of the published lessons for other callers. */
export function seenCount<All extends CountColumn, Published extends CountColumn>(all: All, published: Published) {
  return {
    from: [all, published],
    of: (row: Record<All | Published, number> & { seen_as: View }): number => (row.seen_as === 'staff' ? row[all] : row[published]),
  }
}
