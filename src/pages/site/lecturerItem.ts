import type { SiteItem } from '../../policy/sitePage.ts'
import type { lecturerItemRow } from '../../resources/siteRows.ts'
import { type SiteContext, siteLink, sitePicture } from './siteType.ts'

export const lecturerItem = (
  { slug, display_name: label, headline, avatar }: ReturnType<typeof lecturerItemRow.parse>,
  { issuer }: SiteContext,
): SiteItem => ({
  link: siteLink('lecturers', { slug, label }),
  line: headline ?? undefined,
  details: [],
  picture: sitePicture(avatar, issuer),
  isPerson: true,
})
