import type { Context } from 'koa'
import type { Role } from '../../../../base/caller.ts'
import { toPublicId } from '../../../../base/ids.ts'
import type { ListedRow } from '../../../../base/text/pageOfRows.ts'
import type { ManagedOperation, ManagedResource } from '../../../../engine/output/managedResources.ts'
import { knownPerson } from '../../../knownRows.ts'
import { pageProblem } from '../../../pageProblem.ts'
import type { AccountServices } from '../../accountArguments.ts'
import type { OwnRequest, PageAccess } from '../../ownPage.ts'
import { type SignedInPerson, signedInOrAway, tokenRequired } from '../../signedInPerson.ts'
import { audienceAs, isStaff } from './addresses.ts'

type Row = ListedRow

/** The pages of everybody who works at the school. The role is read for each request: for other people the pages do not exist. */
export const ofStaff: PageAccess = {
  open: staffOrAway,
  own: (ctx, services, page) => tokenRequired(staffOrAway)(ctx, services, page),
}

async function staffOrAway(ctx: Context, services: AccountServices, page: string): Promise<SignedInPerson | undefined> {
  const person = await signedInOrAway(ctx, services, page)
  if (person && !isStaff((await knownPerson(services, ctx.state.school.id, person.accountId))?.role)) throw nothing()
  return person
}

export const nothing = () => pageProblem('nothing_here', 'not_found', 'There is no such page.')

/** @throws Problem not_found for a resource that does not exist */
export function resourceOf({ services, params }: OwnRequest): ManagedResource {
  const found = services.managed.get(params.resource ?? '')
  if (!found) throw nothing()
  return found
}

/** True if the person may manage the row: they see the fields that only the staff see, if there are any. */
export const isManaged = ({ fields }: ManagedResource, row: Row, role: Role): boolean => {
  const hidden = Object.keys(fields).filter((name) => fields[name]?.isForStaff)
  return audienceAs(role) === 'staff' || hidden.length === 0 || hidden.some((name) => Object.hasOwn(row, name))
}

/** Returns the operations on a row that its state allows. Those with a part of the row in their path need one. */
export const operationsOn = ({ operations, isSingleton }: ManagedResource, row: Row, role: Role): ManagedOperation[] =>
  operations.filter(
    (one) =>
      !one.isOnCollection &&
      one.roles.includes(audienceAs(role)) &&
      (one.from?.includes(String(row.status)) ?? true) &&
      partsOf(one, row, { isSingleton }).every(({ candidates }) => candidates.length > 0),
  )

/** Returns the rows that the path of an operation names after its own: the prices of a plan for `price_id`. */
export const partsOf = ({ parameters }: ManagedOperation, row: Row, { isSingleton }: Pick<ManagedResource, 'isSingleton'>) =>
  (isSingleton ? parameters : parameters.slice(1)).map((name) => {
    const list = row[`${name.replace(/_id$/, '')}s`]
    return { name, candidates: Array.isArray(list) ? list.filter((one): one is Row => typeof one === 'object' && one !== null) : [] }
  })

/** Returns the filter by which a lecturer finds what is theirs. */
export async function ownFilter(
  { list }: ManagedResource,
  { services, school, accountId, role }: OwnRequest,
): Promise<Record<string, string>> {
  const filter = list?.filters.find(({ idPrefix }) => idPrefix === 'lec')
  if (!filter || (await role()) !== 'lecturer') return {}
  const lecturerId = (await knownPerson(services, school.id, accountId))?.lecturerId ?? null
  return lecturerId === null ? {} : { [filter.name]: toPublicId('lec', lecturerId) }
}

/** The fields of quick changes. */
export const groups = {
  price: ({ kind }: { kind: string }, name: string) => kind === 'money' || name === 'access' || name === 'discount',
  dates: ({ kind }: { kind: string }) => kind === 'time',
  seats: (_rules: { kind: string }, name: string) =>
    /^(?:capacity|max_members|max_redemptions|download_limit|waitlist_enabled)$/.test(name),
} as const

export const isGroup = (name: string): name is keyof typeof groups => Object.hasOwn(groups, name)

/** Returns the quick changes that an update of the row offers. */
export const groupsOf = ({ fields }: ManagedOperation) =>
  (['price', 'dates', 'seats'] as const).filter((group) => Object.entries(fields).some(([name, rules]) => groups[group](rules, name)))
