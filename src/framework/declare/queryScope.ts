import type { Kysely } from 'kysely'
import type { Caller } from '../../policy/caller.ts'
import type { Reader } from '../../store/database.ts'
import type { AnyTables } from './expressions.ts'
import type { Resource } from './resource.ts'

/** Whose rows, seen by whom. No query is made without it. */
export interface QueryScope {
  resource: Resource
  schoolId: string
  caller: Caller
  /** Fields that are read only because they were asked for by name. */
  onDemand?: readonly string[] | undefined
}

/** A row's key in an address. */
export interface RowKey {
  column: 'id' | 'slug' | 'number'
  value: string
}

// The tables of resources differ. The columns that the framework names (id, school, version) are the same in all of them, so one table type
// serves them all.
export const tables = (database: Reader): Kysely<AnyTables> => database as unknown as Kysely<AnyTables>

/** Returns the name of the resource's table as the one that these types know. */
export const tableOf = ({ table }: Pick<Resource, 'table'>): 'any_table' => table as 'any_table'

export const schoolColumn = ({ resource }: QueryScope): 'id' | 'school_id' => (resource.table === 'school' ? 'id' : 'school_id')
