import type { Builder } from '../../store/expressions.ts'

/** Selects the amount that the person has paid, less refunds, with the currency of the school, as one JSON value. */
export const spendOf = (person: Builder<'person'>) =>
  person
    .selectFrom((inner) =>
      inner
        .selectFrom('school')
        .select(['person.lifetime_spend as amount', 'school.currency'])
        .whereRef('school.id', '=', 'person.school_id')
        .as('spent'),
    )
    .select((spent) => spent.fn.toJson('spent').as('spend'))
