import type { SiteAddress } from '../../resources/sitePaths.ts'
import { ownSubscriptionRow } from '../../resources/siteRows.ts'
import { isHidden, type SiteSource, wholeList } from './siteSource.ts'
import type { SiteViewer } from './siteType.ts'

const ended = ['canceled', 'expired']

/** Reads the subscriptions of a person, if the page at the address depends on them. */
export async function readViewer(source: SiteSource, address: SiteAddress | undefined, memberId: string | undefined): Promise<SiteViewer> {
  const needsPlans = address?.kind === 'plans' || (address?.kind === 'courses' && address.slug !== undefined)
  if (!needsPlans || memberId === undefined) return { subscriptions: [] }
  try {
    const rows = await wholeList(source, 'subscriptions', { member_id: memberId })
    const all = rows.map((row) => ownSubscriptionRow.parse(row))
    return { subscriptions: all.filter(({ status, access }) => access || !ended.includes(status)) }
  } catch (error) {
    if (isHidden(error)) return { subscriptions: [] }
    throw error
  }
}
