import type { Expression, ExpressionBuilder } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'

type Persons = ExpressionBuilder<DB, 'person'>

/** What the person paid less what was given back, with the currency of the school, as one JSON value. */
export const spendOf = (person: Persons): Expression<unknown> =>
  person
    .selectFrom((inner) =>
      inner
        .selectFrom('school')
        .select((row) => [row.ref('person.lifetime_spend' as never).as('amount'), 'school.currency'])
        .whereRef('school.id', '=', 'person.school_id' as never)
        .as('spent'),
    )
    .select((spent) => spent.fn.toJson('spent').as('spend'))
