import type { Change, Creation, Removal, RowsInBulk } from '../write/writing.ts'
import type { ScopeVerb } from './area.ts'
import type { AnyTable, Values } from './expressions.ts'

export interface Operations<
  Table extends AnyTable,
  Verb extends ScopeVerb,
  New extends Values,
  Complete extends Values,
  Changed extends Values,
  Parent extends AnyTable,
> {
  list?: Verb
  get?: Verb
  create?: Verb | Creation<Table, Verb, New, Parent>
  update?: Verb | Change<Table, Verb, Complete, Changed>
  /** Replaces the whole row: omitted fields get their default, or become null. */
  replace?: Verb | Change<Table, Verb, Complete, Changed>
  remove?: Verb | Removal<Table, Verb>
  /** Creates or changes up to a hundred rows, one after another, at the path `bulk`. */
  bulk?: RowsInBulk<Verb>
}
