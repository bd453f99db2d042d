import type { ResponseTo } from '../../../school/apiRows.ts'
import type { OwnRequest } from '../ownPage.ts'

export type OwnSubscription = ResponseTo<'listSubscriptions', { expand: 'plan' }>

/** Returns the ids under which the lists of the API know the person. Staff see the rows of others, so their lists need the id. */
export const ownIds = async ({ perform }: OwnRequest) => (await perform('getAccount')).body.membership

/** Returns the filter of the person's orders; undefined if nobody can have bought as this person. */
export async function buyerFilter(request: OwnRequest): Promise<Readonly<Record<string, string>> | undefined> {
  const { student_id, member_id } = await ownIds(request)
  if (student_id !== null) return { student_id }
  return member_id === null ? undefined : { member_id }
}

/** Returns the subscriptions of the person, with their plans. */
export async function ownSubscriptions(request: OwnRequest): Promise<readonly OwnSubscription[]> {
  const { member_id } = await ownIds(request)
  if (member_id === null) return []
  return await request.every('listSubscriptions', { member_id, expand: 'plan' })
}
