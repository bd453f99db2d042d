import type { AliasedExpression, Expression, SelectQueryBuilder } from 'kysely'
import { audienceOf, type Caller, type PersonViewer, type Viewer } from '../../base/caller.ts'
import { Problem } from '../../base/problem.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import { isOffered } from '../../database/statements/expressions.ts'
import type { AnyRow, AnyRows, AnyRule, AnyTables, Condition, SeenRow } from '../declare/expressions.ts'
import { partOf } from '../declare/liveMembers.ts'
import { type QueryScope, type RowKey, tableOf, tables } from '../declare/queryScope.ts'
import type { View } from '../declare/views.ts'

/** Selects the fields of all rows of the school. The caller of this function adds the visibility condition. */
export function selectRows(
  database: SchoolReader,
  queryScope: QueryScope,
  { isWhole = false } = {},
): SelectQueryBuilder<AnyTables, 'any_table', SeenRow> {
  const { resource, caller, part } = queryScope
  const table = tables(database).selectFrom(tableOf(resource))
  const selected = partOf(resource, part, caller)
  // Selections come after the columns, because a selection replaces the column with its name.
  const columns = isWhole ? table.selectAll(tableOf(resource)) : table.select([...selected.columns]).$castTo<AnyRow>()
  return columns
    .select((rows) => [
      versionOf(queryScope, rows),
      viewOf(queryScope, rows).as('seen_as'),
      ...(resource.ungated ? [named(resource.ungated(rows), 'is_ungated')] : []),
      ...selected.selections
        .filter(({ field }) => !resource.onDemand.includes(field) || queryScope.onDemand?.includes(field))
        .flatMap(({ field, select }) => {
          const value = select(rows, caller)
          if (value) return [named(value, field)]
          // A whole row has every column: null replaces one with this name.
          return isWhole ? [named(rows.lit(null), field)] : []
        }),
    ])
    .$castTo<SeenRow>()
}

export function wholeRow(database: SchoolReader, queryScope: QueryScope, key: RowKey | undefined): ReturnType<typeof selectRows> {
  const query = selectWhole(database, queryScope)
    .where((rows) => isReadable(queryScope, rows))
    .limit(1)
  return key ? query.where((rows) => rows(key.column, '=', key.value)) : query
}

export const selectWhole = (database: SchoolReader, queryScope: QueryScope): ReturnType<typeof selectRows> =>
  selectRows(database, queryScope, { isWhole: true })

const versionOf = ({ resource }: QueryScope, rows: AnyRows): AliasedExpression<unknown, string> =>
  named(rows.ref(resource.versionColumn), 'version')

export const named = (selected: Expression<unknown>, field: string): AliasedExpression<unknown, string> =>
  (selected as Expression<unknown> & { as(alias: string): AliasedExpression<unknown, string> }).as(field)

export const isVisible = (queryScope: QueryScope, rows: AnyRows): Condition =>
  offered(
    queryScope,
    rows,
    ofItsPart(queryScope, rows, ask(queryScope.resource.visibility[audienceOf(queryScope.caller)], rows, queryScope.caller)),
  )

/** Returns a condition that is true for rows that the caller can read by key: those of the list, and unlisted ones. */
export function isReadable(queryScope: QueryScope, rows: AnyRows): Condition {
  const { unlisted } = queryScope.resource
  return unlisted
    ? rows.or([isVisible(queryScope, rows), offered(queryScope, rows, ofItsPart(queryScope, rows, unlisted(rows)))])
    : isVisible(queryScope, rows)
}

/** Restricts a rule to the rows of this resource, if it shares its table with another one. */
const ofItsPart = ({ resource: { part } }: QueryScope, rows: AnyRows, rule: Condition): Condition =>
  part ? rows.and([part(rows), rule]) : rule

/** Hides all rows except from staff, if the school has turned off the feature of the resource. */
function offered({ resource, schoolId, caller }: QueryScope, rows: AnyRows, rule: Condition): Condition {
  const { feature } = resource
  return feature === undefined || audienceOf(caller) === 'staff' ? rule : rows.and([rule, isOffered(schoolId, feature)])
}

/**
 * Checks that the school offers the feature of the resource. Call it only if a list is empty.
 * @throws Problem not_found if the school has turned it off
 */
export async function requireOffered(
  database: SchoolReader,
  { resource, schoolId, caller }: Pick<QueryScope, 'resource' | 'schoolId'> & { caller: Caller },
): Promise<void> {
  const { feature, area } = resource
  if (feature === undefined || audienceOf(caller) === 'staff') return
  const row = await database
    .selectFrom('school')
    .select('id')
    .where('id', '=', schoolId)
    .where(isOffered(schoolId, feature))
    .executeTakeFirst()
  if (!row) throw new Problem('not_found', { description: `This school does not offer ${area.title.toLowerCase()}.` })
}

export async function isClosedToVisitors(database: SchoolReader, { resource, schoolId, caller }: QueryScope): Promise<boolean> {
  const { anonymousWhen } = resource
  if (!anonymousWhen || caller.kind !== 'anonymous') return false
  const open = await database.selectFrom('school').select('id').where('id', '=', schoolId).where(anonymousWhen).executeTakeFirst()
  return open === undefined
}

function viewOf({ resource, caller }: QueryScope, rows: AnyRows): Expression<string> & Pick<ReturnType<AnyRows['val']>, 'as'> {
  const audience = audienceOf(caller)
  const { own, staff, open } = resource.views
  const always = (view: View) => rows.cast<string>(rows.val(view), 'text')
  if (audience === 'staff') return always('staff')
  const nobody = (): Condition => rows.lit(false)
  const isOpen = open ? ask(open, rows, caller) : nobody()
  if (audience === 'anonymous') return open ? rows.case().when(isOpen).then(always('own')).else(always('public')).end() : always('public')
  const isStaff = audience === 'lecturer' && staff ? ask(staff, rows, caller) : nobody()
  const isOwn = own ? ask(own, rows, caller) : nobody()
  return rows
    .case()
    .when(isStaff)
    .then(always('staff'))
    .when(rows.or([isOwn, isOpen]))
    .then(always('own'))
    .else(always('public'))
    .end()
}

// Only rules of the other audiences use more of the caller than the school.
const ask = (rule: AnyRule, rows: AnyRows, caller: Viewer): Condition => rule(rows, caller as PersonViewer)
