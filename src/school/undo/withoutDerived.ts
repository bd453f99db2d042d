import { sourcesOf } from '../../database/statements/columnKinds.ts'
import type { RowChange } from '../../database/undo/capture.ts'
import type { Plan } from './writeInverse.ts'

/** Returns the key of a row, which its text has as well. */
export const rowKey = ({ key }: RowChange): string => Object.values(key).join()

/** Leaves columns that follow from others, of their row or its text, as they are if those stay. */
export function withoutDerived(
  updated: Plan['updated'],
  kept: readonly { row: string | undefined; field: string | undefined }[],
): Plan['updated'] {
  const staying = new Set(kept.map(({ row, field }) => `${row} ${field}`))
  const stays = (change: RowChange, name: string): boolean =>
    sourcesOf(change.table, name)?.some((source) => staying.has(`${rowKey(change)} ${source}`)) ?? false
  return updated
    .map(({ set, ...update }) => ({
      ...update,
      set: Object.fromEntries(Object.entries(set).filter(([name]) => !stays(update.change, name))),
    }))
    .filter(({ set, counts }) => Object.keys(set).length + Object.keys(counts).length > 0)
}
