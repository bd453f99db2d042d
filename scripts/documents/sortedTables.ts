/**
 * Tables without an index on `updated_at`, because they have few rows for each school, such as its courses. A list in the order of changes
 * sorts the rows of the school; in return a change of a row writes no index, unless a column of one changes.
 */
export const sortedTables: ReadonlySet<string> = new Set([
  'coupon',
  'course',
  'digital_product',
  'event',
  'form',
  'lecturer',
  'lesson',
  'membership_plan',
  'page',
  'post',
  'staff',
  'subscription',
])
