import type { View } from '../framework/declare/views.ts'

/** Numbers of a course that are kept twice: of all its lessons, and of the published ones. */
type CountColumn =
  | 'lessons_count'
  | 'published_lessons_count'
  | 'previews_count'
  | 'published_previews_count'
  | 'duration_minutes'
  | 'published_duration_minutes'

/** A number of all lessons for those who see drafts, and of the published ones for everybody else. */
export function seenCount<All extends CountColumn, Published extends CountColumn>(all: All, published: Published) {
  return {
    from: [all, published],
    of: (row: Record<All | Published, number> & { seen_as: View }): number => (row.seen_as === 'staff' ? row[all] : row[published]),
  }
}
