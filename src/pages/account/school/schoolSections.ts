import { accountPaths } from '../../../policy/accountPaths.ts'
import type { TextKey, Texts } from '../../texts.ts'

/** A link to one of the pages of the school. */
export interface SchoolSection {
  href: string
  label: string
  isCurrent: boolean
}

const sections = [
  [accountPaths.school, 'school.apps'],
  [accountPaths.schoolIntegrations, 'school.integrations'],
  [accountPaths.schoolStaff, 'school.staff'],
  [accountPaths.schoolAudit, 'school.audit'],
] as const satisfies readonly (readonly [string, TextKey])[]

/** Returns the links between the pages of the school. */
export const schoolSections = (texts: Texts, current: string): SchoolSection[] =>
  sections.map(([href, key]) => ({ href, label: texts.text(key), isCurrent: href === current }))
