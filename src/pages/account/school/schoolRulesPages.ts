import { accountPaths } from '../../../base/accountPaths.ts'
import { withQuery } from '../../../base/text/withQuery.ts'
import {
  isSelfRegisteredRule,
  longestAccessDays,
  maxThreshold,
  readAppRules,
  type SchoolAppRules,
  thresholdNames,
} from '../../../identity/apps/schoolAppRules.ts'
import { appRules, changeAppRules } from '../../../school/apps/changeAppRules.ts'
import { triedDays, tryRules } from '../../../school/apps/tryRules.ts'
import { staffRecipients } from '../../../school/staff/staffRecipients.ts'
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
export const schoolRulesPage = schoolPage<{ rules: SchoolAppRules; tried: Tried | undefined }>({
  path,
  notices: { saved: 'school.rules_saved' },
  async read({ reader, ctx, services }) {
    const stored = await appRules(reader)
    const asked = new URLSearchParams(ctx.querystring)
    if (!isSelfRegisteredRule(asked.get('self_registered'))) return { rules: stored, tried: undefined }
    const rules = rulesIn(asked)
    const count = await tryRules(reader, { askAbove: rules.ask_above, needsSecond: rules.second_person }, services.undo)
    return { rules, tried: { count, proof: proofOf(rules) } }
  },
  build({ texts, schoolName, role, sent, errorOf }, { rules: stored, tried }) {
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
            ? {
                ...(tried && { paragraphs: [texts.countedParts('school.rules_tried', tried.count, { days: triedDays })] }),
                forms: [formOf(texts, { rules, days, errorOf, sent, proof: tried?.proof ?? '' })],
              }
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
        const stored = await appRules(request.reader)
        const { texts } = await request.pageContext()
        if (days !== '' && rules.longest_days === null)
          throw new Refused(400, { field: 'longest_days', text: texts.text('school.rules_days_error', { most: longestAccessDays }) })
        for (const name of thresholdNames)
          if (thresholdIn(request.sent, name) !== '' && rules.ask_above[name] === null)
            throw new Refused(400, { field: `above_${name}`, text: texts.text('school.rules_above_error') })
        if (rules.second_person && (await staffRecipients(request.reader, ['owner', 'admin'])).length < 2)
          throw new Refused(400, { field: 'second_person', text: texts.text('school.rules_second_error') })
        // New rules are tried on what apps did before they are saved.
        if (proofOf(rules) !== proofOf(stored) && request.sent.get('tried') !== proofOf(rules)) {
          const shown = [
            'self_registered',
            'longest_days',
            'ask_first',
            'pause_unusual',
            'second_person',
            ...thresholdNames.map((name) => `above_${name}`),
          ]
          return withQuery(path, Object.fromEntries(shown.map((name) => [name, request.sent.get(name) ?? undefined])))
        }
        const former = await request.change((writer) => changeAppRules(writer, rules))
        await request.audit('school.app_rules_changed', { details: { from: former, to: { ...rules, allowed_apps: former.allowed_apps } } })
        return 'saved'
      },
    },
  },
})

/** The result of a trial, and the rules that were tried. */
interface Tried {
  count: number
  proof: string
}

const proofOf = ({ ask_above, second_person }: SchoolAppRules): string => JSON.stringify([ask_above, second_person])

const thresholdIn = (sent: URLSearchParams, name: string): string => (sent.get(`above_${name}`) ?? '').trim()

const readThreshold = (text: string): number | null => (/^\d{1,9}$/.test(text) && Number(text) <= maxThreshold ? Number(text) : null)

const daysIn = (sent: URLSearchParams): string => (sent.get('longest_days') ?? '').trim()

function rulesIn(sent: URLSearchParams): SchoolAppRules {
  const access = sent.get('self_registered')
  if (!isSelfRegisteredRule(access)) throw pageProblem('bad_request', 'invalid_request', 'self_registered is none of the choices.')
  return readAppRules({
    self_registered: access,
    longest_days: readDays(daysIn(sent)) ?? null,
    ask_first: sent.has('ask_first') ? 'always' : 'person',
    pause_unusual: sent.has('pause_unusual'),
    ask_above: Object.fromEntries(thresholdNames.map((name) => [name, readThreshold(thresholdIn(sent, name))])),
    second_person: sent.has('second_person'),
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
    ...thresholdNames.map((name) => fact(`school.rules_above_${name}`, String(rules.ask_above[name] ?? '–'))),
    fact('school.rules_second_person', yesOrNo(rules.second_person)),
  ]
}

function formOf(
  texts: Texts,
  {
    rules,
    days,
    errorOf,
    sent,
    proof,
  }: { rules: SchoolAppRules; days: string; errorOf(field: string): string; sent: URLSearchParams | undefined; proof: string },
): AccountForm {
  const box = (name: 'ask_first' | 'pause_unusual' | 'second_person', isTicked: boolean) => ({
    ...{ id: name, name, isTicked },
    label: texts.text(`school.rules_${name}`),
    hint: texts.text(`school.rules_${name}_hint`),
    error: errorOf(name),
  })
  return {
    action: accountPaths.schoolRules,
    hidden: [{ name: 'tried', value: proof }],
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
        ...{
          hint: texts.text('school.rules_days_hint', { most: longestAccessDays }),
          value: days,
          maxLength: 3,
          isOptional: true,
          error: errorOf('longest_days'),
        },
      }),
      ...thresholdNames.map((name) =>
        accountField({
          ...{ name: `above_${name}`, type: 'text', label: texts.text(`school.rules_above_${name}`), autocomplete: 'off' },
          ...{ hint: texts.text(`school.rules_above_${name}_hint`), maxLength: 9, isOptional: true, error: errorOf(`above_${name}`) },
          value: sent ? thresholdIn(sent, name) : String(rules.ask_above[name] ?? ''),
        }),
      ),
    ],
    boxes: [
      box('ask_first', rules.ask_first === 'always'),
      box('pause_unusual', rules.pause_unusual),
      box('second_person', rules.second_person),
    ],
    submit: texts.text('school.rules_save'),
    kind: 'main',
  }
}
