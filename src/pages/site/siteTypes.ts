import type { SiteKind } from '../../resources/sitePaths.ts'
import { coursePages } from './coursePage.ts'
import { eventPages } from './eventPage.ts'
import { lecturerPages } from './lecturerPage.ts'
import { ownPages } from './ownPage.ts'
import { planPages } from './planPage.ts'
import { postPages } from './postPage.ts'
import type { SiteType } from './siteType.ts'

/** How the pages of each kind are read and shown. */
export const siteTypes: Readonly<Record<SiteKind, SiteType>> = {
  courses: coursePages,
  events: eventPages,
  lecturers: lecturerPages,
  posts: postPages,
  plans: planPages,
  pages: ownPages,
}
