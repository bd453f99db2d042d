import type { SiteAddress } from '../../engine/sitePaths.ts'
import type { ApiReader } from '../../school/apiRows.ts'
import { isHidden, wholeList } from './siteSource.ts'
import type { SiteViewer } from './siteType.ts'

const ended = ['canceled', 'expired']

/** Reads the subscriptions of a person, if the page at the address depends on them. */
export async function readViewer(source: ApiReader, address: SiteAddress | undefined, memberId: string | undefined): Promise<SiteViewer> {
  const needsPlans = address?.kind === 'plans' || (address?.kind === 'courses' && address.slug !== undefined)
  if (!needsPlans || memberId === undefined) return { subscriptions: [] }
  try {
    const all = await wholeList((position) => source.list('listSubscriptions', { member_id: memberId, ...position }))
    return { subscriptions: all.filter(({ status, access }) => access || !ended.includes(status)) }
  } catch (error) {
    if (isHidden(error)) return { subscriptions: [] }
    throw error
  }
}
