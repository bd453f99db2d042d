import { accountPaths } from '../../../../base/accountPaths.ts'
import type { Role } from '../../../../base/caller.ts'
import type { SiteContent } from '../../../../base/sitePage.ts'
import type { ManagedResource } from '../../../../engine/output/managedResources.ts'
import { type SiteAddress, siteResources } from '../../../../engine/sitePaths.ts'
import type { ApiReader } from '../../../../school/apiRows.ts'
import type { Texts } from '../../../texts.ts'
import { isClosed } from '../../found.ts'
import { audienceAs, isStaff, rowAddress } from './addresses.ts'
import { deedLinks } from './listRows.ts'
import { isManaged } from './managed.ts'

interface SiteBar {
  managed: ReadonlyMap<string, ManagedResource>
  source: ApiReader
  role: Role | undefined
  texts: Texts
}

/** Returns the bar of a public page for those who manage what it shows: links to what they may do with it. */
export async function siteBar({ managed, source, role, texts }: SiteBar, address: SiteAddress | undefined): Promise<SiteContent['manage']> {
  if (role === undefined || !isStaff(role)) return undefined
  const bar = (links: readonly { href: string; label: string }[]) => ({ label: texts.text('manage.bar'), links })
  const key = address?.lessonId ?? address?.slug
  const resource = address && managed.get(address.lessonId === undefined ? siteResources[address.kind] : 'lessons')
  if (key === undefined || !resource?.get?.parameter) return bar([{ href: accountPaths.school, label: texts.text('account.place_school') }])
  try {
    const row = await source.get(resource.get.id, { [resource.get.parameter]: key })
    if (!isManaged(resource, row, role) || !resource.get.roles.includes(audienceAs(role))) return undefined
    return bar([
      ...deedLinks(texts, { resource, row, role }),
      { href: rowAddress(resource.name, String(row.id)), label: texts.text('manage.agent') },
    ])
  } catch (error) {
    if (isClosed(error)) return undefined
    throw error
  }
}
