import type { Change, Creation, Removal, RowsInBulk } from '../write/writing.ts'
import type { ScopeVerb } from './area.ts'
import type { AnyTable } from './expressions.ts'
import type { Values } from './values.ts'

/** What can be done with a resource, and the scope that it needs. */
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
  /** The whole row is sent: what is left out takes its default, or is nothing. */
  replace?: Verb | Change<Table, Verb, Complete, Changed>
  remove?: Verb | Removal<Table, Verb>
  /** At the address `bulk`: up to a hundred rows, made or changed one after the other. */
  bulk?: RowsInBulk<Verb>
}
