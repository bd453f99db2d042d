import type { Expression } from 'kysely'
import { jsonBuildObject } from 'kysely/helpers/postgres'
import type { Viewer } from '../../base/caller.ts'
import type { Builder } from '../../database/statements/expressions.ts'

/** Selects the amount that the person has paid, less refunds, with the currency of the school, as one JSON value. */
export const spendOf = (person: Builder<'person'>, { schoolId }: Viewer): Expression<unknown> =>
  jsonBuildObject({
    amount: person.ref('person.lifetime_spend'),
    currency: person.selectFrom('school').select('school.currency').where('school.id', '=', schoolId),
  })
