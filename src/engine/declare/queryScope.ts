import type { Kysely } from 'kysely'
import type { Caller, Viewer } from '../../base/caller.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import type { StatementCache } from '../../database/connection/statementCache.ts'
import type { AnyTables } from './expressions.ts'
import type { MemberPart } from './liveMembers.ts'
import type { Resource } from './resource.ts'

export interface QueryScope {
  resource: Resource
  schoolId: string
  caller: Viewer
  onDemand?: readonly string[] | undefined
  /** The members to select, if not all: those that are read for each request, or those whose text is kept. */
  part?: MemberPart | undefined
  /** Statements that were built before. Without it, each statement is built. */
  statements?: StatementCache | undefined
}

export interface RowKey {
  column: 'id' | 'slug' | 'number'
  value: string
}

// All tables of resources have the columns that the framework uses (id, school, version), so one table type represents them.
export const tables = (database: SchoolReader): Kysely<AnyTables> => database as unknown as Kysely<AnyTables>

export const tableOf = ({ table }: Pick<Resource, 'table'>): 'any_table' => table as 'any_table'

export const queryScopeOf = ({ caller, ...scope }: Omit<QueryScope, 'caller'> & { caller: Caller }): QueryScope => ({
  ...scope,
  caller: { ...caller, schoolId: scope.schoolId },
})
