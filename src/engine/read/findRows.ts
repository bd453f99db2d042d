import type { Caller } from '../../base/caller.ts'
import type { SchoolReader, SchoolWriter } from '../../database/connection/database.ts'
import { rankWithin } from '../../database/statements/expressions.ts'
import { findFormerSlug } from '../../database/tables/formerSlugs.ts'
import type { RunContext } from '../call.ts'
import { notPublic, requireScope } from '../declare/access.ts'
import type { SeenRow } from '../declare/expressions.ts'
import type { OperationOf } from '../declare/operations.ts'
import { type QueryScope, queryScopeOf, type RowKey, tableOf, tables } from '../declare/queryScope.ts'
import { expressionOf, type Page, pageStatement, type RowCondition, rowStatement } from './listStatement.ts'
import { isClosedToVisitors, isReadable, isVisible, named, selectRows, selectWhole, wholeRow } from './selectRows.ts'

export async function findRows(database: SchoolReader, queryScope: QueryScope, page: Page): Promise<SeenRow[]> {
  return (await database.executeQuery(pageStatement(database, queryScope, page))).rows
}

export async function findRowsById(database: SchoolReader, queryScope: QueryScope, ids: readonly string[]): Promise<SeenRow[]> {
  if (ids.length === 0) return []
  return await selectRows(database, queryScope)
    .where((rows) => rows.and([isVisible(queryScope, rows), rows('id', 'in', [...ids])]))
    .execute()
}

/** Returns the rows with these ids that the caller can read, with the members of the part. */
export async function findReadableRows(database: SchoolReader, queryScope: QueryScope, ids: readonly string[]): Promise<SeenRow[]> {
  if (ids.length === 0) return []
  return await selectRows(database, queryScope)
    .where((rows) => rows.and([isReadable(queryScope, rows), rows('id', 'in', [...ids])]))
    .execute()
}

/** Returns the rows with these ids that the caller can read, with all their columns. */
export async function findWholeRows(database: SchoolReader, queryScope: QueryScope, ids: readonly string[]): Promise<SeenRow[]> {
  if (ids.length === 0) return []
  return await selectWhole(database, queryScope)
    .where((rows) => rows.and([isReadable(queryScope, rows), rows('id', 'in', [...ids])]))
    .execute()
}

/** Returns the rows of the caller's list that refer to one of these owners in `column`: up to `limit` of each owner, newest first. */
export async function findRowsOf(
  database: SchoolReader,
  queryScope: QueryScope,
  { column, owners, limit }: { column: string; owners: readonly string[]; limit: number },
): Promise<(SeenRow & { owner: string })[]> {
  if (owners.length === 0) return []
  const ranked = selectRows(database, queryScope)
    .select((rows) => [named(rows.ref(column), 'owner'), named(rankWithin(rows.ref(column), rows.ref('id')), 'rank_within')])
    .where((rows) => rows.and([isVisible(queryScope, rows), rows(column, 'in', [...owners])]))
  const rows = await tables(database)
    .selectFrom(ranked.as('ranked'))
    .selectAll()
    .$castTo<SeenRow & { owner: string }>()
    .where('rank_within', '<=', limit)
    .orderBy('id', 'desc')
    .execute()
  return rows
}

export async function countRows(
  database: SchoolReader,
  queryScope: QueryScope,
  conditions: readonly RowCondition[],
  limit: number,
): Promise<number> {
  const found = tables(database)
    .selectFrom(tableOf(queryScope.resource))
    .select('id')
    .where((rows) =>
      rows.and([isVisible(queryScope, rows), ...conditions.map((condition) => expressionOf(condition, rows, queryScope.caller))]),
    )
    .limit(limit)
  const row = await tables(database)
    .selectFrom(found.as('found'))
    .select((rows) => rows.fn.countAll<string>().as('count'))
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

/** Finds the row with this key or, for a slug, the row that had it before; or the row of a singleton. Undefined if the caller cannot read it. */
export async function findRow(database: SchoolReader, queryScope: QueryScope, key: RowKey | undefined): Promise<SeenRow | undefined> {
  return (await rowAt(database, queryScope, key)) ?? (await ofFormerSlug(database, queryScope, key, rowAt))
}

const rowAt = async (database: SchoolReader, queryScope: QueryScope, key: RowKey | undefined): Promise<SeenRow | undefined> =>
  (await database.executeQuery(rowStatement(database, queryScope, key))).rows[0]

async function ofFormerSlug(database: SchoolReader, queryScope: QueryScope, key: RowKey | undefined, find: typeof rowAt) {
  if (key?.column !== 'slug') return undefined
  const { schoolId, resource } = queryScope
  const id = await findFormerSlug(database, { schoolId, type: resource.object, slug: key.value })
  return id === undefined ? undefined : await find(database, queryScope, { column: 'id', value: id })
}

export async function findWholeRow(database: SchoolReader, queryScope: QueryScope, key: RowKey | undefined): Promise<SeenRow | undefined> {
  return (await wholeRowAt(database, queryScope, key)) ?? (await ofFormerSlug(database, queryScope, key, wholeRowAt))
}

const wholeRowAt: typeof rowAt = (database, queryScope, key) => wholeRow(database, queryScope, key).executeTakeFirst()

/** Returns the same row locked until the transaction ends, or undefined if its slug moved to another row meanwhile. */
export async function lockRow(
  writer: SchoolWriter,
  queryScope: QueryScope,
  key: RowKey | undefined,
  lockFirst = queryScope.resource.lockFirst,
): Promise<SeenRow | undefined> {
  const byId = await keyById(writer, queryScope, key)
  if (byId === 'missing') return undefined
  if (byId) await lockFirst?.(writer, { id: byId.value })
  const query = wholeRow(writer, queryScope, byId).forUpdate(tableOf(queryScope.resource))
  const row = await query.executeTakeFirst()
  return row && key && row[key.column] !== key.value ? undefined : row
}

/** Resolves another key to the id, because locks that come before the row take its id. */
async function keyById(database: SchoolReader, queryScope: QueryScope, key: RowKey | undefined): Promise<RowKey | 'missing' | undefined> {
  if (key === undefined || key.column === 'id') return key
  const row = await rowAt(database, queryScope, key)
  return row ? { column: 'id', value: row.id } : 'missing'
}

/** Loads the row that this caller has written, even if the caller can no longer see it after the change. */
export async function loadWritten(writer: SchoolWriter, queryScope: QueryScope, id: string): Promise<SeenRow> {
  return await selectWhole(writer, queryScope).where('id', '=', id).executeTakeFirstOrThrow()
}

/**
 * Counts the rows of a whole list that the caller can see, up to `most`, in one statement that reads nothing but their ids.
 * @throws Problem access_denied if the list is closed to the caller
 */
export async function countList(
  operation: OperationOf<'list'>,
  { caller, most }: { caller: Caller; most: number },
  { database, school }: Pick<RunContext, 'database' | 'school'>,
): Promise<number> {
  requireScope(operation, caller)
  const queryScope = queryScopeOf({ resource: operation.resource, schoolId: school.id, caller, statements: undefined })
  if (await isClosedToVisitors(database, queryScope)) throw notPublic(operation)
  return await countRows(database, queryScope, [], most)
}
