import type { Expression } from 'kysely'
import type { Viewer } from '../../policy/caller.ts'
import type { Builder } from '../../store/expressions.ts'

/** Selects the amount that the person has paid, less refunds, with the currency of the school, as one JSON value. */
export const spendOf = (person: Builder<'person'>, { schoolId }: Viewer): Expression<unknown> =>
  person.fn('json_build_object', [
    person.cast(person.val('amount'), 'text'),
    person.ref('person.lifetime_spend'),
    person.cast(person.val('currency'), 'text'),
    person.selectFrom('school').select('school.currency').where('school.id', '=', schoolId),
  ])
