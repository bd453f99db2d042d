const bookkeeping: ReadonlySet<string> = new Set([
  'version',
  'updated_at',
  'tree_version',
  'moved_from',
  'move_notice_at',
  'move_activity_id',
])

/** True for a column that follows from what is written. */
export const isBookkeeping = (name: string): boolean => bookkeeping.has(name)

/** True for the place of a row, which also follows from other rows. `keepOrder` closes the gaps. */
export const isPlace = (name: string): boolean => name === 'position'
