import type { Kysely } from 'kysely'
import type { Caller, Viewer } from '../../policy/caller.ts'
import type { Reader } from '../../store/database.ts'
import type { StatementCache } from '../../store/statementCache.ts'
import type { AnyTables } from './expressions.ts'
import type { Resource } from './resource.ts'

/** The resource, the school and the caller of a query. Every query needs it. */
export interface QueryScope {
  resource: Resource
  schoolId: string
  caller: Viewer
  /** Fields that are read only because the request names them. */
  onDemand?: readonly string[] | undefined
  /** Statements that were built before. Without it, each statement is built. */
  statements?: StatementCache | undefined
}

/** The key of a row in a path. */
export interface RowKey {
  column: 'id' | 'slug' | 'number'
  value: string
}

// All tables of resources have the columns that the framework uses (id, school, version), so one table type represents them.
export const tables = (database: Reader): Kysely<AnyTables> => database as unknown as Kysely<AnyTables>

/** Returns the name of the resource's table, typed as `any_table`. */
export const tableOf = ({ table }: Pick<Resource, 'table'>): 'any_table' => table as 'any_table'

export const schoolColumn = ({ resource }: QueryScope): 'id' | 'school_id' => (resource.table === 'school' ? 'id' : 'school_id')

/** Returns the scope of the queries of a caller in a school. */
export const queryScopeOf = ({ caller, ...scope }: Omit<QueryScope, 'caller'> & { caller: Caller }): QueryScope => ({
  ...scope,
  caller: { ...caller, schoolId: scope.schoolId },
})
