import { accountPaths } from '../../../base/accountPaths.ts'
import { removeFactorsFor } from '../../../school/apps/removeFactorsFor.ts'
import { type StaffMember, staffList } from '../../../school/apps/staffList.ts'
import { plainText } from '../../plainText.ts'
import { type TextKey, type Texts, verbatim } from '../../texts.ts'
import type { AccountForm, AccountSection } from '../accountPage.ts'
import { accountField } from '../ownFields.ts'
import type { OwnRequest, RunForm } from '../ownPage.ts'
import { schoolPage } from './schoolAdmin.ts'

const roles = ['lecturer', 'admin', 'owner'] as const

/** Returns a form of an owner or admin who has confirmed who they are. */
const form = (run: (request: OwnRequest, typed: (name: string) => string) => Promise<string>, field?: string): RunForm => ({
  ...(field !== undefined && { field }),
  isConfirmed: true,
  problems: {
    email_taken: 'school.staff_known',
    validation_failed: 'account_form.no_address',
    self_change: 'school.staff_self',
    last_owner: 'school.staff_last_owner',
    access_denied: 'school.staff_only_owner',
    invalid_state: 'school.factor_none',
  },
  run: (request) => run(request, (name) => request.sent.get(name) ?? ''),
})

/** The page of the people who work at the school. */
export const schoolStaffPage = schoolPage<readonly StaffMember[]>({
  path: accountPaths.schoolStaff,
  notices: { invited: 'school.done_invited', role: 'school.done_role', removed: 'school.done_removed', factor: 'school.done_factor' },
  read: ({ reader }) => staffList(reader),
  build: ({ texts, schoolName, person, sent, errorOf }, staff) => ({
    title: 'school.staff',
    introduction: texts.parts('school.staff_introduction', { school: schoolName }),
    sections: [
      listSection(texts, staff, person.who),
      inviteSection(texts, { email: sent?.get('email') ?? '', error: errorOf('email') }),
      helpSection(texts, { email: sent?.get('lost') ?? '', error: errorOf('lost') }),
    ],
  }),
  forms: {
    invite: form(async ({ perform }, typed) => {
      const role = roles.find((one) => one === typed('role')) ?? 'lecturer'
      await perform('inviteStaff', undefined, { body: { email: typed('email').trim(), role } })
      return 'invited'
    }, 'email'),
    role: form(async ({ perform }, typed) => {
      const id = typed('id')
      await perform('updateStaff', { id }, { body: { role: typed(`role-${id}`) } })
      return 'role'
    }),
    remove: form(async ({ perform }, typed) => {
      await perform('removeStaff', { id: typed('id') })
      return 'removed'
    }),
    // Removes the second factor of a person who has lost it.
    'second-factor': form(async ({ services, school, accountId: staff, reader, change, audit }, typed) => {
      const { accountId: account_id, passkeys, hadApp } = await change((writer) => removeFactorsFor(writer, typed('lost')))
      const kind = hadApp ? 'authenticator_removed' : 'passkey_removed'
      // Without the browser and the network, which are those of the owner or admin.
      await services.defer(reader, school.id, 'account_notice', { account_id, kind, at: new Date().toISOString(), values: {} })
      await audit('school.second_factor_removed', { account_id, details: { staff, passkeys, authenticator_app: hadApp } })
      return 'factor'
    }, 'lost'),
  },
})

function listSection(texts: Texts, staff: readonly StaffMember[], { email }: { email: string }): AccountSection {
  return {
    id: 'staff',
    heading: texts.text('school.staff_list'),
    table: {
      caption: texts.text('school.staff_list'),
      head: [
        texts.text('school.name_label'),
        texts.text('school.status_label'),
        texts.text('school.second_factor_label'),
        texts.text('school.role_label'),
      ],
      rows: staff.map((member) => ({
        cells: [
          { text: verbatim(texts, plainText(member.name, 100)), below: verbatim(texts, plainText(member.email, 254)) },
          texts.parts(member.status === 'invited' ? 'school.status_invited' : 'school.status_active', {}),
          texts.parts(member.hasSecondFactor ? 'school.second_factor_yes' : 'school.second_factor_no', {}),
        ],
        forms: member.email === email ? [] : formsOf(texts, member),
        summary: texts.text('school.staff_open', { role: texts.text(roleKey(member.role)) }),
        ...(member.email === email && { note: texts.text(roleKey(member.role)) }),
      })),
    },
  }
}

const roleKey = (role: string): TextKey =>
  role === 'owner' ? 'school.role_owner' : role === 'admin' ? 'school.role_admin' : 'school.role_lecturer'

const roleField = (texts: Texts, name: string, current: string) =>
  accountField({
    ...{ name, type: 'select', label: texts.text('school.role_label'), autocomplete: 'off' },
    groups: [
      { label: '', options: roles.map((role) => ({ value: role, label: texts.text(roleKey(role)), isSelected: role === current })) },
    ],
  })

const formsOf = (texts: Texts, { id, role }: StaffMember): AccountForm[] => [
  {
    action: accountPaths.schoolStaffRole,
    hidden: [{ name: 'id', value: id }],
    fields: [roleField(texts, `role-${id}`, role)],
    submit: texts.text('school.staff_change'),
  },
  {
    action: accountPaths.schoolStaffRemove,
    hidden: [{ name: 'id', value: id }],
    submit: texts.text('school.staff_remove'),
    kind: 'danger',
  },
]

interface TypedAddress {
  email: string
  error: string
}

const addressField = (texts: Texts, name: string, { email, error }: TypedAddress) =>
  accountField({ ...{ name, type: 'email', label: texts.text('sign_in.email'), autocomplete: 'off' }, value: email, error, maxLength: 254 })

const inviteSection = (texts: Texts, given: TypedAddress): AccountSection => ({
  id: 'invite',
  heading: texts.text('school.staff_invite'),
  paragraphs: [texts.parts('school.staff_invite_explanation', {})],
  forms: [
    {
      action: accountPaths.schoolStaffInvite,
      fields: [addressField(texts, 'email', given), roleField(texts, 'role', 'lecturer')],
      submit: texts.text('school.staff_invite_submit'),
      kind: 'main',
    },
  ],
})

const helpSection = (texts: Texts, given: TypedAddress): AccountSection => ({
  id: 'help',
  heading: texts.text('school.factor_heading'),
  paragraphs: [texts.parts('school.factor_explanation', {})],
  forms: [
    { action: accountPaths.schoolRemoveFactor, fields: [addressField(texts, 'lost', given)], submit: texts.text('school.factor_submit') },
  ],
})
