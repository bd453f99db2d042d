import type { SchoolWriter } from '../../database/connection/database.ts'
import type { Columns, RowChange } from '../../database/undo/capture.ts'
import { deleteRows, insertRows, type Tables, updateRows } from '../../database/undo/rows.ts'
import { noteMove } from '../events/moveNotices.ts'

/** The statements that take a request back. */
export interface Plan {
  /** Rows that it added, which are deleted. */
  added: RowChange[]
  /** Rows that it added, which stay. */
  staying: RowChange[]
  /** Rows that it deleted, which are inserted. */
  removed: RowChange[]
  /** Rows with the columns that are set, and with the numbers that are added to counts. */
  updated: { change: RowChange; current: Columns; set: Record<string, unknown>; counts: Record<string, number> }[]
}

/** Executes a plan: children are deleted before their parents, and inserted after them. */
export async function writeInverse(
  writer: SchoolWriter,
  tables: Tables,
  plan: Plan,
  { now, notify }: { now: Date; notify: boolean | undefined },
): Promise<void> {
  for (const table of tables.order.toReversed()) {
    const keys = plan.added.filter((change) => change.table === table).map(({ key }) => key)
    if (keys.length > 0) await deleteRows(writer, table, keys)
  }
  for (const table of tables.order) {
    const known = tables.columns.get(table) ?? new Set()
    const rows = plan.removed.filter((change) => change.table === table).map(({ before }) => raised(before ?? {}, now))
    for (const group of Map.groupBy(rows, (row) => Object.keys(row).toSorted().join()).values())
      await insertRows(
        writer,
        table,
        namesIn(group).filter((name) => name !== 'school_id' && known.has(name)),
        group,
      )
  }
  for (const table of tables.order) {
    const known = tables.columns.get(table) ?? new Set()
    const rows = plan.updated
      .filter(({ change }) => change.table === table)
      .map(({ change, current, set, counts }) => ({
        key: change.key,
        set: {
          ...set,
          ...(table === 'event' && movedBack({ ...current, ...set }, current, { now, notify: notify ?? isTold(change) })),
          ...('updated_at' in (change.after ?? {}) && { updated_at: now }),
        },
        added: { ...counts, ...('version' in (change.after ?? {}) && { version: 1 }) },
      }))
    for (const group of Map.groupBy(rows, ({ set, added }) =>
      [...Object.keys(set).toSorted(), '+', ...Object.keys(added).toSorted()].join(),
    ).values()) {
      const [first] = group
      if (!first) continue
      const columns = {
        key: Object.keys(first.key),
        set: Object.keys(first.set).filter((name) => known.has(name)),
        added: Object.keys(first.added).filter((name) => known.has(name)),
      }
      if (columns.set.length + columns.added.length === 0) continue
      await updateRows(
        writer,
        table,
        columns,
        group.map(({ key, set, added }) => ({ ...key, ...set, ...added })),
      )
    }
  }
}

/** True if the change of an event has an e-mail: only then it writes this column. */
const isTold = ({ after }: RowChange): boolean => after !== null && 'move_notice_at' in after

/** Attendees of a moved event get another e-mail when it is moved back. */
function movedBack(back: Columns, current: Columns, { now, notify }: { now: Date; notify: boolean }): Columns {
  const occasion = ({ starts_at, ends_at, location }: Columns) => ({ starts_at: String(starts_at), ends_at: String(ends_at), location })
  const event = { ...occasion(current), status: String(current.status), moved_from: current.moved_from }
  const { moved_from, ...columns } = noteMove(event, { ...occasion(back), notify }, now)
  return { ...columns, ...(moved_from !== undefined && { moved_from: moved_from === null ? null : JSON.parse(moved_from) }) }
}

const namesIn = ([first = {}]: readonly Columns[]): string[] => Object.keys(first)

/** A restored row has a version that it never had. */
const raised = (row: Columns, now: Date): Columns => ({
  ...row,
  ...('updated_at' in row && { updated_at: now }),
  ...(typeof row.version === 'number' && { version: row.version + 1 }),
})
