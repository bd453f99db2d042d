import type { Kysely } from 'kysely'
import type { Caller } from '../../policy/caller.ts'
import type { Reader } from '../../store/database.ts'
import type { AnyRow, AnyTables } from './expressions.ts'
import type { Resource } from './resource.ts'
import type { View } from './views.ts'

/** Whose rows, seen by whom. No query is made without it. */
export interface QueryScope {
  resource: Resource
  schoolId: string
  caller: Caller
  /** Fields that are read only because they were asked for by name. */
  onDemand?: readonly string[] | undefined
}

/** A row as it was read, and how much of it the caller sees. */
export interface SeenRow extends AnyRow {
  seen_as: View
  /** Whether the public view shows its gated fields. Absent: it has none. */
  is_ungated?: boolean
}

/** A row's key in an address. */
export interface RowKey {
  column: 'id' | 'slug' | 'number'
  value: string
}

// The tables of resources differ; what this road names of them (id, school, version) is the same in all.
export const tables = (database: Reader): Kysely<AnyTables> => database as unknown as Kysely<AnyTables>

export const schoolColumn = ({ resource }: QueryScope): 'id' | 'school_id' => (resource.table === 'school' ? 'id' : 'school_id')
