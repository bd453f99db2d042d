import { accountPaths } from '../../../base/accountPaths.ts'
import type { TextKey, Texts } from '../../texts.ts'
import type { PageLinks } from '../accountPage.ts'

export interface SchoolSection {
  href: string
  label: string
  isCurrent: boolean
}

const sections = [
  [accountPaths.school, 'school.apps'],
  [accountPaths.schoolIntegrations, 'school.integrations'],
  [accountPaths.schoolAllowedApps, 'school.allowed'],
  [accountPaths.schoolRules, 'school.rules'],
  [accountPaths.schoolStaff, 'school.staff'],
  [accountPaths.schoolPeople, 'school.people'],
  [accountPaths.schoolStatistics, 'school.statistics'],
  [accountPaths.schoolForms, 'school.forms'],
  [accountPaths.schoolComments, 'school.comments'],
  [accountPaths.schoolAudit, 'school.audit'],
] as const satisfies readonly (readonly [string, TextKey])[]

export const schoolSections = (texts: Texts, current: string): SchoolSection[] =>
  sections.map(([href, key]) => ({ href, label: texts.text(key), isCurrent: href === current }))

/** Returns the same links with the name of their navigation. */
export const schoolLinks = (texts: Texts, current: string): PageLinks => ({
  label: texts.text('school.nav_label'),
  items: schoolSections(texts, current),
})
