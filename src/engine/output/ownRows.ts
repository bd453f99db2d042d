import type { PersonCaller } from '../../base/caller.ts'
import type { School } from '../../base/school.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import type { AnyRule } from '../declare/expressions.ts'
import { queryScopeOf } from '../declare/queryScope.ts'
import type { Resource } from '../declare/resource.ts'
import type { ExternalServices } from '../externalServices.ts'
import { selectWhole } from '../read/selectRows.ts'

const batchRows = 500

export interface OwnRowsContext {
  database: SchoolReader
  school: School
  caller: PersonCaller
  externalServices: ExternalServices
}

export interface OwnRows {
  resource: Resource
  /** Selects the rows. It replaces the visibility of lists: a row that the school has hidden still belongs to the person. */
  mine: AnyRule
  also?: readonly string[]
}

/** Reads every such row in the view of its person, in the form of the API, in batches, each with a separate short statement. */
export async function* ownRows(
  { resource, mine, also = [] }: OwnRows,
  { database, school, caller, externalServices }: OwnRowsContext,
): AsyncGenerator<Record<string, unknown>[]> {
  const queryScope = queryScopeOf({ resource, schoolId: school.id, caller })
  const viewer = { ...caller, schoolId: school.id }
  const context = { school, caller, externalServices, parameters: new Map() }
  let after: string | undefined
  for (;;) {
    const start = after
    const rows = await selectWhole(database, queryScope)
      .where((row) => mine(row, viewer))
      .$if(start !== undefined, (query) => query.where('id', '>', String(start)))
      .orderBy('id')
      .limit(batchRows)
      .execute()
    if (rows.length > 0) {
      yield rows.map((row) => ({
        ...resource.serializers.own({ ...row, seen_as: 'own' }, context),
        ...Object.fromEntries(also.map((column) => [column, row[column]])),
      }))
    }
    after = rows.at(-1)?.id
    if (rows.length < batchRows) return
  }
}
