import type { Context, Middleware } from 'koa'
import { accountPaths } from '../../../base/accountPaths.ts'
import { removeFactorsFor } from '../../../school/apps/removeFactorsFor.ts'
import { type StaffMember, staffList } from '../../../school/apps/staffList.ts'
import { auditEntry } from '../../auditEntry.ts'
import { submittedForm } from '../../formBody.ts'
import { plainText } from '../../plainText.ts'
import { seeOther } from '../../seeOther.ts'
import type { TextKey, TextPart, Texts } from '../../texts.ts'
import type { AccountArguments } from '../accountArguments.ts'
import type { AccountForm, AccountSection } from '../accountPage.ts'
import type { AccountPresenter } from '../accountPresenter.ts'
import { accountField } from '../ownFields.ts'
import { explained, type OwnError, type OwnPages } from '../ownPage.ts'
import { adminOrAway, confirmedAdmin, type SchoolAdmin } from './schoolAdmin.ts'
import { schoolLinks } from './schoolSections.ts'

/** The page of the people who work at the school, and its forms. */
export interface SchoolStaffPages {
  show: Middleware
  invite: Middleware
  changeRole: Middleware
  remove: Middleware
  /** Removes the second factor of a person who has lost it. */
  removeFactor: Middleware
}

const roles = ['lecturer', 'admin', 'owner'] as const

const notices = {
  invited: 'school.done_invited',
  role: 'school.done_role',
  removed: 'school.done_removed',
  factor: 'school.done_factor',
} as const satisfies Record<string, TextKey>

/** The texts of the problems that the actions meet. */
const problemTexts: Readonly<Record<string, TextKey>> = {
  email_taken: 'school.staff_known',
  validation_failed: 'account_form.no_address',
  self_change: 'school.staff_self',
  last_owner: 'school.staff_last_owner',
  access_denied: 'school.staff_only_owner',
  invalid_state: 'school.factor_none',
}

export function schoolStaffPages(args: AccountArguments, present: AccountPresenter, pages: OwnPages): SchoolStaffPages {
  const path = accountPaths.schoolStaff
  const show = async (ctx: Context, admin: SchoolAdmin, errors: readonly OwnError[] = []): Promise<void> => {
    const staff = await staffList(args.databaseOf(ctx.state.school.id).kysely)
    const sent = ctx.method === 'POST' ? submittedForm(ctx) : new URLSearchParams()
    await pages.show(ctx, admin, { path, section: accountPaths.school, notices, errors }, ({ texts, schoolName, errorOf }) => ({
      title: 'school.staff',
      heading: texts.text('school.staff'),
      siblings: schoolLinks(texts, path),
      introduction: texts.parts('school.staff_introduction', { school: schoolName }),
      sections: [
        listSection(texts, staff, admin),
        inviteSection(texts, { email: sent.get('email') ?? '', error: errorOf('email') }),
        helpSection(texts, { email: sent.get('lost') ?? '', error: errorOf('lost') }),
      ],
    }))
  }

  /** Runs an action of an owner or admin who has confirmed who they are, and shows why it was rejected. */
  const action =
    (done: keyof typeof notices, field: string | undefined, act: (ctx: Context, admin: SchoolAdmin) => Promise<void>): Middleware =>
    async (ctx: Context) => {
      const admin = await confirmedAdmin(ctx, args, { page: path, present })
      if (!admin) return
      try {
        await act(ctx, admin)
      } catch (error) {
        const problem = explained(error)
        const key = problemTexts[problem.code]
        if (!key) throw problem
        ctx.status = problem.status
        const { texts } = await present.pageContext(ctx)
        return await show(ctx, admin, [{ ...(field !== undefined && { field }), text: texts.text(key) }])
      }
      seeOther(ctx, `${path}?done=${done}`)
    }

  const typed = (ctx: Context, name: string): string => submittedForm(ctx).get(name) ?? ''

  return {
    async show(ctx) {
      const admin = await adminOrAway(ctx, args, path)
      if (admin) await show(ctx, admin)
    },
    invite: action('invited', 'email', async (ctx, { accountId }) => {
      const role = roles.find((one) => one === typed(ctx, 'role')) ?? 'lecturer'
      await args.perform(ctx, accountId, 'inviteStaff', { body: { email: typed(ctx, 'email').trim(), role } })
    }),
    changeRole: action('role', undefined, async (ctx, { accountId }) => {
      const id = typed(ctx, 'id')
      await args.perform(ctx, accountId, 'updateStaff', { parameters: { id }, body: { role: typed(ctx, `role-${id}`) } })
    }),
    remove: action('removed', undefined, async (ctx, { accountId }) => {
      await args.perform(ctx, accountId, 'removeStaff', { parameters: { id: typed(ctx, 'id') } })
    }),
    removeFactor: action('factor', 'lost', async (ctx, admin) => {
      const { school } = ctx.state
      const removed = await args.databaseOf(school.id).transaction((writer) => removeFactorsFor(writer, typed(ctx, 'lost')))
      const kind = removed.hadApp ? 'authenticator_removed' : 'passkey_removed'
      const notice = { account_id: removed.accountId, kind, at: new Date().toISOString(), values: {} } as const
      // Without the browser and the network, which are those of the owner or admin.
      await args.defer(args.databaseOf(school.id).kysely, school.id, 'account_notice', notice)
      const details = { staff: admin.accountId, passkeys: removed.passkeys, authenticator_app: removed.hadApp }
      await args.audit(auditEntry(ctx, 'school.second_factor_removed', { account_id: removed.accountId, details }))
    }),
  }
}

const verbatim = (texts: Texts, text: string): TextPart[] => texts.parts('school.verbatim', { text })

function listSection(texts: Texts, staff: readonly StaffMember[], admin: SchoolAdmin): AccountSection {
  return {
    id: 'staff',
    heading: texts.text('school.staff_list'),
    paragraphs: [],
    table: {
      caption: texts.text('school.staff_list'),
      head: [
        texts.text('school.name_label'),
        texts.text('sign_in.email'),
        texts.text('school.status_label'),
        texts.text('school.second_factor_label'),
        texts.text('school.role_label'),
      ],
      rows: staff.map((member) => ({
        cells: [
          verbatim(texts, plainText(member.name, 100)),
          verbatim(texts, plainText(member.email, 254)),
          texts.parts(member.status === 'invited' ? 'school.status_invited' : 'school.status_active', {}),
          texts.parts(member.hasSecondFactor ? 'school.second_factor_yes' : 'school.second_factor_no', {}),
        ],
        forms: member.email === admin.who.email ? [] : formsOf(texts, member),
        ...(member.email === admin.who.email && { note: texts.text(roleKey(member.role)) }),
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
