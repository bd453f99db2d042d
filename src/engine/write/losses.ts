import { isCounter, sourcesOf } from '../../database/statements/columnKinds.ts'
import type { RowChange } from '../../database/undo/capture.ts'
import { isBookkeeping, isPlace } from '../../database/undo/columnKinds.ts'

/** The objects that a request removed and overwrote. */
export interface Losses {
  /** Objects that it deleted. Rows of people that fall with an object of the school, such as their progress, do not count. */
  deleted: number
  /** Objects of which it replaced or emptied a value. */
  overwritten: number
  /** True if any row that was there is gone or changed, in whatever table. */
  any: boolean
  /** True if it could be taken back if it were smaller. */
  isTooLarge: boolean
}

/** Counts what changes of rows removed and overwrote. `isObject` is true for the tables of resources, `own` is that of the operation. */
export function lossesIn(
  changes: readonly RowChange[],
  { own, isObject }: { own: string; isObject(table: string): boolean },
): Omit<Losses, 'isTooLarge'> {
  const counted = changes.filter(({ table, personId }) => isObject(table) && (personId === null || table === own))
  return {
    deleted: counted.filter(({ after }) => after === null).length,
    overwritten: counted.filter((change) => changedColumns(change).some((name) => !isPlace(name) && !isEmpty(change.before?.[name])))
      .length,
    any: changes.some((change) => change.after === null || changedColumns(change).length > 0),
  }
}

/** The columns of a row that was there and still is, except those that follow from other columns or rows. */
const changedColumns = ({ table, before, after }: RowChange): string[] =>
  before === null || after === null
    ? []
    : Object.keys(after).filter((name) => !isBookkeeping(name) && !isCounter(table, name) && !sourcesOf(table, name))

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
