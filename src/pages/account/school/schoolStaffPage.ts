import type { StaffMember } from '../../../domain/administration/staffList.ts'
import { accountPaths } from '../../../policy/accountPaths.ts'
import { plainText } from '../../plainText.ts'
import type { Frame } from '../../templates.ts'
import type { Texts } from '../../texts.ts'
import type { AccountShell } from '../accountPage.ts'
import { type SchoolSection, schoolSections } from './schoolSections.ts'

/** The staff of the school. */
export interface SchoolStaffPage extends Frame, AccountShell {
  sectionsLabel: string
  sections: SchoolSection[]
  introduction: string
  labels: { role: string; status: string; secondFactor: string }
  staff: { name: string; email: string; role: string; status: string; secondFactor: string; isWarning: boolean }[]
}

/** Builds the page. Pure. */
export const schoolStaffPage = (
  texts: Texts,
  { staff, schoolName }: { staff: readonly StaffMember[]; schoolName: string },
): Omit<SchoolStaffPage, keyof Frame | keyof AccountShell> => ({
  sectionsLabel: texts.text('school.nav_label'),
  sections: schoolSections(texts, accountPaths.schoolStaff),
  introduction: texts.text('school.staff_introduction', { school: schoolName }),
  labels: {
    role: texts.text('school.role_label'),
    status: texts.text('school.status_label'),
    secondFactor: texts.text('school.second_factor_label'),
  },
  staff: staff.map(({ name, email, role, status, hasSecondFactor }) => ({
    name: plainText(name, 100),
    email: plainText(email, 254),
    role: texts.text(role === 'owner' ? 'school.role_owner' : role === 'admin' ? 'school.role_admin' : 'school.role_lecturer'),
    status: texts.text(status === 'invited' ? 'school.status_invited' : 'school.status_active'),
    secondFactor: texts.text(hasSecondFactor ? 'school.second_factor_yes' : 'school.second_factor_no'),
    isWarning: !hasSecondFactor && (role === 'owner' || role === 'admin'),
  })),
})
