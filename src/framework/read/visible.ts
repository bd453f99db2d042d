import type { Expression } from 'kysely'
import { Problem } from '../../lib/problem.ts'
import { audienceOf, type Caller, type PersonCaller } from '../../policy/caller.ts'
import type { Reader } from '../../store/database.ts'
import { isOffered } from '../../store/expressions.ts'
import type { AnyRows, AnyRule, Condition } from '../declare/expressions.ts'
import type { QueryScope } from '../declare/queryScope.ts'
import type { View } from '../declare/views.ts'

/** Rows that stand in the caller's list. */
export const isVisible = (queryScope: QueryScope, rows: AnyRows): Condition =>
  offered(
    queryScope,
    rows,
    ofItsPart(queryScope, rows, ask(queryScope.resource.visibility[audienceOf(queryScope.caller)], rows, queryScope.caller)),
  )

/** Rows that can be read by who names them: those of the list, and those that stand in none. */
export function isReadable(queryScope: QueryScope, rows: AnyRows): Condition {
  const { unlisted } = queryScope.resource
  return unlisted
    ? rows.or([isVisible(queryScope, rows), offered(queryScope, rows, ofItsPart(queryScope, rows, unlisted(rows)))])
    : isVisible(queryScope, rows)
}

/** Of a table that two resources share, the rows of this one. */
const ofItsPart = ({ resource: { part } }: QueryScope, rows: AnyRows, rule: Condition): Condition =>
  part ? rows.and([part(rows), rule]) : rule

/** Where the school has turned off what the resource belongs to, there are no rows but for its staff. */
function offered({ resource, schoolId, caller }: QueryScope, rows: AnyRows, rule: Condition): Condition {
  const { feature } = resource
  return feature === undefined || audienceOf(caller) === 'staff' ? rule : rows.and([rule, isOffered(schoolId, feature)])
}

/**
 * Asked only where there are no rows.
 * @throws Problem not_found where the school does not offer at all what they belong to
 */
export async function requireOffered(database: Reader, { resource, schoolId, caller }: QueryScope): Promise<void> {
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

/** Whether the school keeps visitors out of what others show them. */
export async function isClosedToVisitors(database: Reader, { resource, schoolId, caller }: QueryScope): Promise<boolean> {
  const { anonymousWhen } = resource
  if (!anonymousWhen || caller.kind !== 'anonymous') return false
  const open = await database.selectFrom('school').select('id').where('id', '=', schoolId).where(anonymousWhen).executeTakeFirst()
  return open === undefined
}

/** How much of a row the caller sees. */
export function seenAs({ resource, caller }: QueryScope, rows: AnyRows): Expression<string> & Pick<ReturnType<AnyRows['val']>, 'as'> {
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

// Rules about people are asked about people only: the rule of the anonymous audience takes no second argument.
const ask = (rule: AnyRule, rows: AnyRows, caller: Caller): Condition => rule(rows, caller as PersonCaller)
