import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import type { Role } from '../../policy/caller.ts'
import { grantsAccess } from '../../store/accessExpressions.ts'

type Persons = ExpressionBuilder<DB, 'person'>
type Condition = Expression<SqlBool>

/** A plan that a member has now. `until` is null where it goes on. */
export interface MemberPlan {
  id: string
  name: string
  slug: string
  until: string | null
}

/** The plans that open something to a person now, as one JSON value. */
export const plansOf = (person: Persons): Expression<unknown> =>
  person
    .selectFrom((inner) =>
      plansNow(inner)
        .select((row) => [
          'membership_plan.id',
          'membership_plan.name',
          'membership_plan.slug',
          row
            .case()
            .when('subscription.status', '=', 'canceled')
            .then(row.ref('subscription.ended_at'))
            .when(row('subscription.cancel_at', 'is not', null))
            .then(row.ref('subscription.cancel_at'))
            .when('subscription.cancel_at_period_end', '=', true)
            .then(row.ref('subscription.current_period_end'))
            .end()
            .as('until'),
        ])
        .orderBy('membership_plan.position')
        .orderBy('membership_plan.id')
        .as('held'),
    )
    .select((held) => held.fn.jsonAgg('held').as('plans'))

/** Members who have one of these plans now. */
export const hasOneOfPlans = (person: Persons, planIds: readonly string[]): Condition =>
  person.exists(
    plansNow(person)
      .select('membership_plan.id')
      .where('membership_plan.id', 'in', [...planIds]),
  )

function plansNow(outer: unknown) {
  const builder = outer as ExpressionBuilder<DB, 'person'>
  return builder
    .selectFrom('subscription')
    .innerJoin('membership_plan', (join) =>
      join.onRef('membership_plan.school_id', '=', 'subscription.school_id').onRef('membership_plan.id', '=', 'subscription.plan_id'),
    )
    .whereRef('subscription.school_id', '=', 'person.school_id')
    .whereRef('subscription.person_id', '=', 'person.id')
    .where(grantsAccess)
}

/** What a person is to the school; null for who does not work there. */
export const staffRoleOf = (person: Persons): Expression<unknown> => staffRows(person).select('staff.role').limit(1)

/** People who are one of these to the school. Who does not work there is a learner. */
export function hasRole(person: Persons, roles: readonly Role[]): Condition {
  const working = roles.filter((role) => role !== 'learner')
  return person.or([
    ...(working.length > 0 ? [person.exists(staffRows(person).select('staff.id').where('staff.role', 'in', working))] : []),
    ...(roles.includes('learner') ? [person.not(person.exists(staffRows(person).select('staff.id')))] : []),
  ])
}

const staffRows = (person: Persons) =>
  person
    .selectFrom('staff')
    .whereRef('staff.school_id', '=', 'person.school_id')
    .whereRef('staff.person_id', '=', 'person.id')
    .where('staff.status', '=', 'active')
