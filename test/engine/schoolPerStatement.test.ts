import { describe, expect, test } from 'vitest'
import { type Caller, roles } from '../../src/base/caller.ts'
import { newId, toPublicId } from '../../src/base/ids.ts'
import { inSchool } from '../../src/database/school/inSchool.ts'
import { queryScopeOf } from '../../src/engine/declare/queryScope.ts'
import { filterCondition, pageStatement, type RowCondition, rowStatement } from '../../src/engine/read/listStatement.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { compilingKysely } from '../support/compilingKysely.ts'

const database = compilingKysely()

const person = { kind: 'person', accountId: newId(), personId: newId(), lecturerId: newId(), clientId: 'client', grantId: 'grant' } as const
const callers: Caller[] = [{ kind: 'anonymous' }, ...roles.map((role) => ({ ...person, role, scopes: new Set<string>() }))]
const lists = operationsIn(resources).filter((operation) => operation.kind === 'list')

/** Returns the statements of a list and of its row, with every field, and of the list with each filter by ids. */
function statementsOf({ resource, parameters }: (typeof lists)[number], caller: Caller): string[] {
  const scope = queryScopeOf({ resource, schoolId: newId(), caller, onDemand: resource.onDemand })
  const [sort] = resource.sorts
  const filters = parameters.flatMap(({ name, filter }): RowCondition[] => {
    const prefix = filter?.filter.value.meta()?.idPrefix
    return filter && prefix ? [filterCondition(name, filter, { values: [toPublicId(prefix, newId())], caller: scope.caller })] : []
  })
  const page = (conditions: RowCondition[]) =>
    pageStatement(inSchool(database, scope.schoolId), scope, { conditions, sort: sort ?? never(), limit: 2, after: undefined })
  const row = rowStatement(inSchool(database, scope.schoolId), scope, { column: 'id', value: newId() })
  return [page([]), ...filters.map((one) => page([one])), row].map(({ sql }) => sql)
}

const never = (): never => {
  throw new Error('the list has no order')
}

/** A condition that compares the id of the school with a column reads the school again for each row. */
const perRow = /"school"\."id" = "(?<table>\w+)"\."\w+"|"(?<other>\w+)"\."\w+" = "school"\."id"/g

describe.each(lists.map((list) => [list.id, list] as const))('%s', (_id, list) => {
  test.each(callers.map((caller) => [caller.kind === 'person' ? caller.role : caller.kind, caller] as const))(
    'reads the school once for a statement, and not for each row, as %s',
    (_role, caller) => {
      for (const text of statementsOf(list, caller)) {
        const tables = [...text.matchAll(perRow)].map(({ groups }) => groups?.table ?? groups?.other)
        // The days of grace belong to a rule that also runs over all schools. It reads them for subscriptions with an outstanding payment.
        expect(tables.filter((table) => table !== 'subscription')).toEqual([])
      }
    },
  )

  test('selects nothing for a visitor that is null in every row', () => {
    for (const text of statementsOf(list, { kind: 'anonymous' })) expect(text).not.toMatch(/\bnull as "|as "my_/)
  })
})
