import type { SchoolWriter } from '../../database/connection/database.ts'
import { keyText, type RowChange } from '../../database/undo/capture.ts'
import { findUses, type Tables } from '../../database/undo/rows.ts'
import type { Plan } from './writeInverse.ts'

/** Leaves the added rows that others use, with their parts. Returns them with the reasons. */
export async function keepUsed(
  writer: SchoolWriter,
  { tables, isPart }: { tables: Tables; isPart(table: string): boolean },
  plan: Plan,
): Promise<{ change: RowChange; message: string }[]> {
  const kept: { change: RowChange; message: string }[] = []
  // Rows that stay use others in turn.
  for (;;) {
    const images = Map.groupBy(
      plan.added.map(({ table, key, after }) => ({ table, key, image: after ?? {} })),
      ({ table }) => table,
    )
    const emptied = plan.updated.filter(({ set }) => Object.values(set).includes(null)).map(({ change }) => change)
    const own = Map.groupBy([...plan.added, ...emptied], ({ table }) => table)
    const uses = await findUses(writer, tables, images, new Map([...own].map(([table, changes]) => [table, changes.map(({ key }) => key)])))
    const byRow = Map.groupBy(uses, ({ table, key }) => keyText(table, key))
    const used = plan.added.filter(({ table, key }) => byRow.has(keyText(table, key)))
    const ids = new Set([...plan.staying, ...used].map(({ key }) => key.id))
    const parts = plan.added.filter(({ table, after }) => isPart(table) && Object.values(after ?? {}).some((value) => ids.has(value)))
    if (used.length + parts.length === 0) return kept
    kept.push(...used.map((change) => ({ change, message: ` ${usesText(byRow.get(keyText(change.table, change.key)) ?? [])} of others` })))
    const left = new Set([...used, ...parts])
    plan.added = plan.added.filter((change) => !left.has(change))
    plan.staying.push(...left)
  }
}

const usesText = (uses: readonly { by: string; count: number }[]): string =>
  uses.map(({ by, count }) => `${count} ${by.replaceAll('_', ' ')}${count === 1 ? '' : 's'}`).join(' and ')
