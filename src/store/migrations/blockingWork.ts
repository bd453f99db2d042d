import type { Migration } from './migrationFiles.ts'
import type { LockMode, MigrationHeader } from './migrationHeader.ts'

/** Modes for which neither reads nor changes of other rows wait. */
const harmless: readonly LockMode[] = ['ROW EXCLUSIVE', 'SHARE UPDATE EXCLUSIVE']

/**
 * Returns the work for which requests wait: every lock is held until the migration ends, so all of it counts if one of the locks keeps
 * requests out. Otherwise only changed rows are locked. A migration outside of a transaction holds no such lock, and commits in parts.
 */
export function blockingWork({ header, isAlone }: Pick<Migration, 'header' | 'isAlone'>): MigrationHeader['work'] {
  if (!header || isAlone) return []
  if (header.locks.some(({ mode }) => !harmless.includes(mode))) return header.work
  return header.work.filter(({ kind }) => kind === 'writes')
}
