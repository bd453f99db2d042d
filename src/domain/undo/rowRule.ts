import { Problem } from '../../lib/problem.ts'
import { audienceOf, type PersonCaller } from '../../policy/caller.ts'
import type { ExternalServices } from '../../policy/externalServices.ts'
import type { SchoolWriter } from '../../store/database.ts'
import type { RowChange } from '../../store/undo/capture.ts'
import type { UndoableEntry } from '../../store/undo/records.ts'
import { requireAuthorityOver } from '../students/personWriting.ts'
import type { TakenBack } from './takeBack.ts'

interface Changing {
  writer: SchoolWriter
  caller: PersonCaller
  externalServices: Pick<ExternalServices, 'undo'>
}

/**
 * Applies the row rule of the operation: callers other than staff can undo changes only of rows that they can still change, and an admin cannot
 * undo changes of owners. Returns a function that checks the rows afterwards, because a restored row exists only then.
 * @throws Problem access_denied
 */
export async function rowRule(
  { writer, caller, externalServices: { undo } }: Changing,
  { operations }: UndoableEntry,
  { subjects, changes }: { subjects: ReadonlySet<string>; changes: readonly RowChange[] },
): Promise<(rows: readonly TakenBack[]) => Promise<void>> {
  const ids = changes.flatMap(({ table, key }) => (subjects.has(table) && typeof key.id === 'string' ? [key.id] : []))
  if (subjects.has('person')) await requireAuthorityOver({ writer, caller }, ids)
  if (audienceOf(caller) === 'staff') return async () => undefined
  const changeable = async (): Promise<ReadonlySet<string>> => {
    const sets: ReadonlySet<string>[] = []
    for (const operation of operations) sets.push(await undo.changeable(writer, caller, operation, ids))
    return new Set(sets.flatMap((one) => [...one]))
  }
  const before = await changeable()
  return async (rows) => {
    const after = await changeable()
    const checked = rows.filter(({ table }) => subjects.has(table))
    const isAllowed = ({ id, action }: TakenBack): boolean => id !== undefined && (action === 'restored' ? after : before).has(id)
    if (checked.length === 0 || !checked.every(isAllowed))
      throw new Problem('access_denied', { description: 'You do not have permission any more for what this request changed.' })
  }
}
