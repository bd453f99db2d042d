import { audienceOf } from '../../base/caller.ts'
import { clientNames } from '../../database/tables/clients.ts'
import { namesOfAccounts } from '../../database/tables/namesOfAccounts.ts'
import { findLaterChanges } from '../../database/undo/laterChanges.ts'
import { type UndoableEntry, undoStates } from '../../database/undo/records.ts'
import { parameterValues } from '../../engine/declare/expressions.ts'
import { readerOf, visibleChanges } from '../../engine/write/visibleChanges.ts'
import type { ExplainedKept, Kept } from './kept.ts'
import { activityId, type Undoing } from './recordUndo.ts'

/** So many of them are explained. */
const maxExplained = 20

/** Returns what stays in the words of the API, with what changed it since: the app or person, the time, and the activity to take back first. */
export async function explainKept(undoing: Undoing, entry: UndoableEntry, kept: readonly Kept[]): Promise<ExplainedKept[]> {
  const { writer, caller, externalServices, school } = undoing
  const { undo } = externalServices
  const publicId = ({ table, id }: Kept): string | null => (id === undefined ? null : (undo.publicId(table, id) ?? null))
  const ids = [...new Set(kept.slice(0, maxExplained).flatMap((one) => publicId(one) ?? []))]
  const later = await findLaterChanges(writer, entry.id, ids)
  const [states, clients, people] = [
    await undoStates(
      writer,
      [...later.values()].map(({ id }) => id),
    ),
    await clientNames(writer, [...new Set([...later.values()].flatMap(({ client_id }) => client_id ?? []))]),
    await namesOfAccounts(
      writer,
      writer.schoolId,
      [...later.values()].flatMap(({ account_id }) => account_id ?? []),
    ),
  ]
  const context = { school, caller, externalServices, parameters: parameterValues(new Map()) }
  const explained: ExplainedKept[] = []
  for (const [at, one] of kept.entries()) {
    const id = publicId(one)
    const change = id === null ? undefined : later.get(id)
    const shown = one.change && at < maxExplained ? await undo.show(writer, [one.change], one.table, context) : []
    const value = visibleChanges(shown, readerOf(caller))[0]?.fields[0]
    const by = change && ((change.client_id !== null && clients.get(change.client_id)) || nameOf(people.get(change.account_id ?? '')))
    explained.push({
      type: undo.typesOf(one.table)[0] ?? one.table,
      id,
      field: value?.field ?? one.field ?? null,
      reason: one.reason,
      message: one.message,
      present: value?.before ?? null,
      restored: value?.after ?? null,
      at: change?.at.toISOString() ?? null,
      by: by ?? null,
      activity: change && states.get(change.id)?.possible ? activityId(change.id) : null,
    })
  }
  return explained

  /** People are named to the staff, and to themselves. */
  function nameOf(person: { name: string } | undefined): string | undefined {
    return audienceOf(caller) === 'staff' ? person?.name : undefined
  }
}
