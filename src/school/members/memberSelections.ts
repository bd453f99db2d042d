import type { Expression } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { Role } from '../../base/caller.ts'
import type { Stored } from '../../database/connection/database.ts'
import type { Builder, Condition } from '../../database/statements/expressions.ts'
import { grantsAccess } from '../memberships/accessExpressions.ts'

type Persons = Builder<'person'>

/** A current plan of a member. `until` is null if it has no end. */
export interface MemberPlan extends Stored<'membership_plan', 'id' | 'name' | 'slug'> {
  until: string | null
}

export const plansOf = (person: Persons): Expression<unknown> =>
  jsonArrayFrom(
    plansNow(person)
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
      .orderBy('membership_plan.id'),
  )

export const hasOneOfPlans = (person: Persons, planIds: readonly string[]): Condition =>
  person.exists(
    plansNow(person)
      .select('membership_plan.id')
      .where('membership_plan.id', 'in', [...planIds]),
  )

const plansNow = (person: Persons) =>
  person
    .selectFrom('subscription')
    .innerJoin('membership_plan', 'membership_plan.id', 'subscription.plan_id')
    .whereRef('subscription.person_id', '=', 'person.id')
    .where(grantsAccess)

export const staffRoleOf = (person: Persons): Expression<unknown> => staffRows(person).select('staff.role').limit(1)

/** Matches people with one of these roles. A person who is not staff is a learner. */
export function hasRole(person: Persons, roles: readonly Role[]): Condition {
  const staffRoles = roles.filter((role) => role !== 'learner')
  return person.or([
    ...(staffRoles.length > 0 ? [person.exists(staffRows(person).select('staff.id').where('staff.role', 'in', staffRoles))] : []),
    ...(roles.includes('learner') ? [person.not(person.exists(staffRows(person).select('staff.id')))] : []),
  ])
}

const staffRows = (person: Persons) =>
  person.selectFrom('staff').whereRef('staff.person_id', '=', 'person.id').where('staff.status', '=', 'active')
