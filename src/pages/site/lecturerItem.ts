import type { SiteItem } from '../../base/sitePage.ts'
import type { Lecturer } from '../../school/apiRows.ts'
import { type SiteContext, siteLink, sitePicture } from './siteType.ts'

export const lecturerItem = (
  { slug, display_name: label, headline, avatar }: Pick<Lecturer, 'slug' | 'display_name' | 'headline' | 'avatar'>,
  { issuer }: SiteContext,
): SiteItem => ({
  link: siteLink('lecturers', { slug, label }),
  line: headline ?? undefined,
  details: [],
  picture: sitePicture(avatar, issuer),
  isPerson: true,
})
