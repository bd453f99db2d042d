import { accountPaths } from '../../../base/accountPaths.ts'
import { isSelfRegisteredRule, longestAccessDays, readAppRules, type SchoolAppRules } from '../../../identity/apps/schoolAppRules.ts'
import { appRules, changeAppRules } from '../../../school/apps/changeAppRules.ts'
import { pageProblem } from '../../pageProblem.ts'
import type { TextKey, Texts } from '../../texts.ts'
import type { AccountForm } from '../accountPage.ts'
import { accountField } from '../ownFields.ts'
import { Refused } from '../ownPage.ts'
import { requireOwner, schoolPage } from './schoolAdmin.ts'

const accesses = {
  everybody: 'school.rules_everybody',
  staff_read_only: 'school.rules_staff_read_only',
  owner_agrees: 'school.rules_owner_agrees',
  nobody: 'school.rules_nobody',
} as const satisfies Record<SchoolAppRules['self_registered'], TextKey>

const path = accountPaths.schoolRules

/** The page with the rules of the school for apps. Admins see it, and only owners change it. */
export const schoolRulesPage = schoolPage<SchoolAppRules>({
  path,
  notices: { saved: 'school.rules_saved' },
  read: ({ reader }) => appRules(reader),
  build({ texts, schoolName, role, sent, errorOf }, stored) {
    const rules = sent ? rulesIn(sent) : stored
    const days = sent ? daysIn(sent) : String(rules.longest_days ?? '')
    return {
      title: 'school.rules',
      introduction: texts.parts('school.rules_introduction', { school: schoolName }),
      sections: [
        {
          id: 'rules',
          heading: texts.text('school.rules_heading'),
          ...(role === 'owner'
            ? { forms: [formOf(texts, { rules, days, error: errorOf('longest_days') })] }
            : { paragraphs: [texts.parts('school.rules_only_owner', {})], facts: factsOf(texts, rules) }),
        },
      ],
    }
  },
  forms: {
    '': {
      isConfirmed: true,
      async run(request) {
        await requireOwner(request)
        const rules = rulesIn(request.sent)
        const days = daysIn(request.sent)
        const { texts } = await request.pageContext()
        if (days !== '' && rules.longest_days === null)
          throw new Refused(400, { field: 'longest_days', text: texts.text('school.rules_days_error', { most: longestAccessDays }) })
        const former = await request.change((writer) => changeAppRules(writer, rules))
        await request.audit('school.app_rules_changed', { details: { from: former, to: rules } })
        return 'saved'
      },
    },
  },
})

const daysIn = (sent: URLSearchParams): string => (sent.get('longest_days') ?? '').trim()

function rulesIn(sent: URLSearchParams): SchoolAppRules {
  const access = sent.get('self_registered')
  if (!isSelfRegisteredRule(access)) throw pageProblem('bad_request', 'invalid_request', 'self_registered is none of the choices.')
  return readAppRules({
    self_registered: access,
    longest_days: readDays(daysIn(sent)) ?? null,
    ask_first: sent.has('ask_first') ? 'always' : 'person',
    pause_unusual: sent.has('pause_unusual'),
  })
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
