import type { Context, Middleware } from 'koa'
import { accountPaths } from '../../../base/accountPaths.ts'
import { isSelfRegisteredRule, longestAccessDays, readAppRules, type SchoolAppRules } from '../../../identity/apps/schoolAppRules.ts'
import { appRules } from '../../../school/apps/changeAppRules.ts'
import { auditEntry } from '../../auditEntry.ts'
import { submittedForm } from '../../formBody.ts'
import { pageProblem } from '../../pageProblem.ts'
import { seeOther } from '../../seeOther.ts'
import type { TextKey, Texts } from '../../texts.ts'
import type { AccountArguments } from '../accountArguments.ts'
import type { AccountForm } from '../accountPage.ts'
import type { AccountPresenter } from '../accountPresenter.ts'
import { accountField } from '../ownFields.ts'
import type { OwnError, OwnPages } from '../ownPage.ts'
import { adminOrAway, confirmedAdmin, requireOwner, type SchoolAdmin } from './schoolAdmin.ts'
import { schoolLinks } from './schoolSections.ts'

/** The page with the rules of the school for apps. Admins see it, and only owners change it. */
export interface SchoolRulesPages {
  show: Middleware
  save: Middleware
}

const notices = { saved: 'school.rules_saved', confirmed: 'confirm.done' } as const satisfies Record<string, TextKey>

const accesses = {
  everybody: 'school.rules_everybody',
  staff_read_only: 'school.rules_staff_read_only',
  owner_agrees: 'school.rules_owner_agrees',
  nobody: 'school.rules_nobody',
} as const satisfies Record<SchoolAppRules['self_registered'], TextKey>

export function schoolRulesPages(args: AccountArguments, present: AccountPresenter, pages: OwnPages): SchoolRulesPages {
  const path = accountPaths.schoolRules
  const show = async (
    ctx: Context,
    admin: SchoolAdmin,
    shown: { rules: SchoolAppRules; days: string; errors?: OwnError[] },
  ): Promise<void> => {
    const { errors = [] } = shown
    await pages.show(ctx, admin, { path, section: accountPaths.school, notices, errors }, ({ texts, schoolName, errorOf }) => ({
      title: 'school.rules',
      heading: texts.text('school.rules'),
      siblings: schoolLinks(texts, path),
      introduction: texts.parts('school.rules_introduction', { school: schoolName }),
      sections: [
        {
          id: 'rules',
          heading: texts.text('school.rules_heading'),
          ...(admin.role === 'owner'
            ? { paragraphs: [], forms: [formOf(texts, { ...shown, error: errorOf('longest_days') })] }
            : { paragraphs: [texts.parts('school.rules_only_owner', {})], facts: factsOf(texts, shown.rules) }),
        },
      ],
    }))
  }

  return {
    async show(ctx) {
      const admin = await adminOrAway(ctx, args, path)
      if (!admin) return
      const rules = await appRules(args.databaseOf(ctx.state.school.id).kysely)
      await show(ctx, admin, { rules, days: String(rules.longest_days ?? '') })
    },

    async save(ctx) {
      const admin = await confirmedAdmin(ctx, args, { page: path, present })
      if (!admin) return
      requireOwner(admin)
      const form = submittedForm(ctx)
      const { texts } = await present.pageContext(ctx)
      const days = (form.get('longest_days') ?? '').trim()
      const longest = days === '' ? null : readDays(days)
      const access = form.get('self_registered')
      if (!isSelfRegisteredRule(access)) throw pageProblem('bad_request', 'invalid_request', 'self_registered is none of the choices.')
      const rules = readAppRules({
        self_registered: access,
        longest_days: longest ?? null,
        ask_first: form.has('ask_first') ? 'always' : 'person',
        pause_unusual: form.has('pause_unusual'),
      })
      if (longest === undefined) {
        ctx.status = 400
        const error = { field: 'longest_days', text: texts.text('school.rules_days_error', { most: longestAccessDays }) }
        return await show(ctx, admin, { rules, days, errors: [error] })
      }
      const former = await args.administration.saveRules(ctx.state.school.id, rules)
      await args.audit(auditEntry(ctx, 'school.app_rules_changed', { account_id: admin.accountId, details: { from: former, to: rules } }))
      seeOther(ctx, `${path}?done=saved`)
    },
  }
}

/** Returns the number of days; undefined if the text is not a number that the rules allow. */
const readDays = (text: string): number | undefined =>
  /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= longestAccessDays ? Number(text) : undefined

function factsOf(texts: Texts, rules: SchoolAppRules) {
  const fact = (label: TextKey, value: string) => ({ label: texts.text(label), value: texts.parts('school.verbatim', { text: value }) })
  const yesOrNo = (isYes: boolean): string => texts.text(isYes ? 'school.form_yes' : 'school.form_no')
  return [
    fact('school.rules_access', texts.text(accesses[rules.self_registered])),
    fact('school.rules_days', rules.longest_days === null ? '–' : String(rules.longest_days)),
    fact('school.rules_ask_first', yesOrNo(rules.ask_first === 'always')),
    fact('school.rules_pause_unusual', yesOrNo(rules.pause_unusual)),
  ]
}

function formOf(texts: Texts, { rules, days, error }: { rules: SchoolAppRules; days: string; error: string }): AccountForm {
  const box = (name: 'ask_first' | 'pause_unusual', isTicked: boolean) => ({
    ...{ id: name, name, isTicked },
    label: texts.text(`school.rules_${name}`),
    hint: texts.text(`school.rules_${name}_hint`),
  })
  return {
    action: accountPaths.schoolRules,
    fields: [
      accountField({
        ...{ name: 'self_registered', type: 'radio', label: texts.text('school.rules_access'), autocomplete: 'off' },
        groups: [
          {
            label: '',
            options: Object.entries(accesses).map(([value, key]) => ({
              ...{ value, label: texts.text(key), isSelected: value === rules.self_registered },
            })),
          },
        ],
      }),
      accountField({
        ...{ name: 'longest_days', type: 'text', label: texts.text('school.rules_days'), autocomplete: 'off' },
        ...{ hint: texts.text('school.rules_days_hint', { most: longestAccessDays }), value: days, maxLength: 3, isOptional: true, error },
      }),
    ],
    boxes: [box('ask_first', rules.ask_first === 'always'), box('pause_unusual', rules.pause_unusual)],
    submit: texts.text('school.rules_save'),
    kind: 'main',
  }
}
