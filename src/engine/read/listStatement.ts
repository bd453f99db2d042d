import type { CompiledQuery } from 'kysely'
import { z } from 'zod'
import type { PersonViewer, Viewer } from '../../base/caller.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import { NotShareable, type StatementCache, type StatementValue, type StatementValues } from '../../database/connection/statementCache.ts'
import { withMarker } from '../../database/school/inSchool.ts'
import type { AnyRows, Condition, SeenRow } from '../declare/expressions.ts'
import { partOf } from '../declare/liveMembers.ts'
import type { Parameter } from '../declare/parameters.ts'
import type { QueryScope, RowKey } from '../declare/queryScope.ts'
import { isBehind, type Position, type Sort, sortColumns, sortExpression } from '../declare/sorts.ts'
import { isReadable, isVisible, selectRows } from './selectRows.ts'

export interface Page {
  conditions: readonly RowCondition[]
  sort: Sort
  after: Position | undefined
  limit: number
}

/**
 * Common numbers of rows, each with one row more that shows whether there is another page. They are a part of the text: PostgreSQL keeps
 * one plan for it, whereas it would plan a statement with a limit among its parameters at every request.
 */
const commonLimits: ReadonlySet<number> = new Set([10, 20, 25, 50, 100].flatMap((rows) => [rows, rows + 1]))

type Statement = Omit<ReturnType<typeof selectRows>, never>

export function pageStatement(database: SchoolReader, queryScope: QueryScope, page: Page): CompiledQuery<SeenRow> {
  const { conditions, sort, after, limit } = page
  const shared = conditions.filter((one): one is SharedCondition => typeof one !== 'function')
  if (!queryScope.statements || shared.length < conditions.length) return buildPage(database, queryScope, page).compile()
  const conditionValues = shared.flatMap(({ values }, index) => values.map((value, nth) => [`${index}.${nth}`, value] as const))
  const isLiteral = commonLimits.has(limit)
  const values = {
    ...scopeValues(queryScope),
    ...(!isLiteral && { limit }),
    afterId: after?.id,
    afterValue: after?.value,
    ...Object.fromEntries(conditionValues),
  }
  const shape = `page ${isLiteral ? limit : ''} ${shapeOf(queryScope)} ${sort.name} ${sort.isDescending} ${JSON.stringify(shared.map((one) => one.shape))}`
  return compile(queryScope.statements, shape, values, (current) =>
    buildPage(withMarker(database, String(current.schoolId)), scopeWith(queryScope, current), {
      sort,
      limit: isLiteral ? limit : (current.limit as number),
      after: current.afterId === undefined ? undefined : { id: current.afterId as string, value: current.afterValue as Position['value'] },
      conditions: shared.map((one, index) => ({
        ...one,
        values: one.values.map((_, nth) => current[`${index}.${nth}`] as StatementValue),
      })),
    }),
  )
}

function buildPage(database: SchoolReader, queryScope: QueryScope, { conditions, sort, after, limit }: Page): Statement {
  let query = selectRows(database, queryScope)
    .where((rows) =>
      rows.and([isVisible(queryScope, rows), ...conditions.map((condition) => expressionOf(condition, rows, queryScope.caller))]),
    )
    .limit(commonLimits.has(limit) ? ({ lit }) => lit(limit) : limit)
  if (!partOf(queryScope.resource, queryScope.part, queryScope.caller).columns.includes(sort.column))
    query = query.select(sort.column as 'id')
  if (after) query = query.where((rows) => isBehind(rows, sort, after))
  for (const column of sortColumns(sort)) {
    query = query.orderBy((rows) => sortExpression(rows, sort, column), sort.isDescending ? 'desc' : 'asc')
  }
  return query
}

export function rowStatement(database: SchoolReader, queryScope: QueryScope, key: RowKey | undefined): CompiledQuery<SeenRow> {
  const build = (reader: SchoolReader, scope: QueryScope, wanted: RowKey | undefined): Statement => {
    const query = selectRows(reader, scope)
      .limit(1)
      .where((rows) => isReadable(scope, rows))
    return wanted ? query.where((rows) => rows(wanted.column, '=', wanted.value)) : query
  }
  if (!queryScope.statements) return build(database, queryScope, key).compile()
  const values = { ...scopeValues(queryScope), key: key?.value }
  return compile(queryScope.statements, `row ${shapeOf(queryScope)} ${key?.column ?? ''}`, values, (current) =>
    build(
      withMarker(database, String(current.schoolId)),
      scopeWith(queryScope, current),
      key && { column: key.column, value: current.key as string },
    ),
  )
}

const compile = (
  statements: StatementCache,
  shape: string,
  values: StatementValues,
  build: (values: StatementValues) => Statement,
): CompiledQuery<SeenRow> => statements.compile(shape, values, build) as CompiledQuery<SeenRow>

/** Returns what determines the text of a query of these rows by this caller, apart from the values. */
const shapeOf = ({ resource, caller, part, onDemand = [] }: QueryScope): string =>
  `${resource.name} ${part ?? ''} ${caller.kind === 'anonymous' ? 'anonymous' : caller.role} ${onDemand.toSorted().join()}`

function scopeValues({ schoolId, caller }: QueryScope): StatementValues {
  if (caller.kind === 'anonymous') return { schoolId }
  const { accountId, personId, lecturerId } = caller
  return { schoolId, accountId, personId, lecturerId }
}

/** Returns the same scope with other values. Its caller has no permissions: a rule that reads them cannot be shared. */
const scopeWith = ({ resource, caller, onDemand, part }: QueryScope, values: StatementValues): QueryScope => ({
  resource,
  part,
  onDemand,
  schoolId: String(values.schoolId),
  caller: caller.kind === 'anonymous' ? { kind: 'anonymous', schoolId: String(values.schoolId) } : markedCaller(caller, values),
})

const markedCaller = ({ role }: PersonViewer, { schoolId, accountId, personId, lecturerId }: StatementValues): Viewer => ({
  kind: 'person',
  role,
  schoolId: String(schoolId),
  accountId: accountId as string,
  personId: personId as string | null,
  lecturerId: lecturerId as string | null,
  get scopes(): never {
    throw new NotShareable()
  },
  get clientId(): never {
    throw new NotShareable()
  },
  get grantId(): never {
    throw new NotShareable()
  },
})

/** A condition whose text depends on its shape only, so that its statement is built once. */
interface SharedCondition {
  shape: string
  values: readonly StatementValue[]
  where(rows: AnyRows, values: readonly StatementValue[], caller: Viewer): Condition
}

/** A condition of a list. A function is called for every request. */
export type RowCondition = ((rows: AnyRows) => Condition) | SharedCondition

export const expressionOf = (condition: RowCondition, rows: AnyRows, caller: Viewer): Condition =>
  typeof condition === 'function' ? condition(rows) : condition.where(rows, condition.values, caller)

/** Returns the condition of a filter. The number of values belongs to the shape, and so do choices, because a rule may depend on them. */
export function filterCondition(
  name: string,
  { filter, operator }: NonNullable<Parameter['filter']>,
  { values, caller: asker }: { values: readonly unknown[]; caller: Viewer },
): RowCondition {
  const stored = values.map((value) => filter.stored(value))
  if (filter.value instanceof z.ZodEnum || filter.value instanceof z.ZodBoolean) {
    const shape = `${name}=${JSON.stringify(stored)}`
    return { shape, values: [], where: (rows, _none, caller) => filter.where(rows, operator, stored, caller) }
  }
  if (!filter.isShared) return (rows) => filter.where(rows, operator, stored, asker)
  return {
    shape: `${name}#${stored.length}`,
    values: stored as StatementValue[],
    where: (rows, current, caller) => filter.where(rows, operator, current, caller),
  }
}
