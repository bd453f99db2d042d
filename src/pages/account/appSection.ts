import { accountAppPath, accountPaths } from '../../base/accountPaths.ts'
import { hashedId } from '../../base/ids.ts'
import { type ConnectedApp, pastDays } from '../../identity/accounts/connectedApps.ts'
import type { AccessRule } from '../../identity/apps/accessDuration.ts'
import type { AppTerms } from '../../identity/apps/schoolAppRules.ts'
import { durationField } from '../durationField.ts'
import { plainText } from '../plainText.ts'
import type { TextKey, Texts } from '../texts.ts'
import type { AccountForm, AccountSection } from './accountPage.ts'
import { registeredNameFact } from './appEntries.ts'
import { appNameField, maxAppName } from './appName.ts'
import { notAllowed, stateOf } from './appState.ts'
import { accountField } from './ownFields.ts'

/** A name that was refused, to be corrected. */
export interface RefusedName {
  typed: string
  error: string
}

/** The rules that decide about an app together with its person, and the name that they entered. */
export interface AppDecisions {
  rule: AccessRule
  terms: Pick<AppTerms, 'access'>
  /** True if the person cannot choose that it does not ask. */
  mustAskFirst: boolean
  refused: RefusedName | undefined
}

type Hidden = { name: string; value: string }[]

/** Returns the section with what the person decides about an app. */
export function appSection(
  texts: Texts,
  { clientId, grantId, lastUsedAt, endsAt, pausedAt, pausedBy, ...app }: ConnectedApp,
  { rule, terms, mustAskFirst, refused }: AppDecisions,
): AccountSection {
  const hidden: Hidden = [
    { name: 'client', value: clientId },
    { name: 'page', value: hashedId('aut', grantId) },
  ]
  const fact = (label: TextKey, value: string) => ({ label: texts.text(label), value: texts.parts('school.verbatim', { text: value }) })
  return {
    id: 'app',
    heading: texts.text('activity.app'),
    paragraphs: [texts.parts('activity.pause_explanation', {}), texts.parts('approval.setting_explanation', {})],
    facts: [
      ...(app.ownName === undefined ? [] : [registeredNameFact(texts, app.name)]),
      fact('activity.last_used', lastUsedAt ? texts.moment(lastUsedAt) : texts.text('activity.never_used')),
      fact('activity.state', notAllowed(texts, terms) ?? stateOf(texts, pausedAt, pausedBy)),
      fact('duration.ends', texts.moment(endsAt)),
      fact(
        'approval.setting',
        texts.text(mustAskFirst ? 'approval.setting_required' : app.asksFirst ? 'approval.setting_on' : 'approval.setting_off'),
      ),
    ],
    forms: [
      nameForm(texts, hidden.slice(1), { name: app.ownName ?? plainText(app.name, maxAppName), refused }),
      endForm(texts, hidden.slice(1), rule),
      ...(pausedBy === 'school'
        ? []
        : pausedBy === 'person'
          ? [{ action: accountPaths.continueApp, hidden, submit: texts.text('activity.continue') }]
          : [{ action: accountPaths.pauseApp, hidden, submit: texts.text('activity.pause') }]),
      ...(mustAskFirst
        ? []
        : [
            {
              action: accountPaths.asksFirst,
              hidden: [...hidden, { name: 'asks_first', value: app.asksFirst ? '' : '1' }],
              submit: texts.text(app.asksFirst ? 'approval.turn_off' : 'approval.turn_on'),
            },
          ]),
      { action: accountPaths.removeApp, hidden: hidden.slice(0, 1), submit: texts.text('apps.remove'), kind: 'danger' as const },
    ],
    links: [{ href: accountPaths.approvals, label: texts.text('approval.link') }],
  }
}

/** The page of an app, with the question whether to take back what it changed when it is removed. */
export const removalPath = (grantId: string): string => `${accountAppPath(hashedId('aut', grantId))}?remove=1#remove`

/** Returns the section that asks it. */
export function removalSection(texts: Texts, { clientId }: ConnectedApp, count: number): AccountSection {
  const form = (changes: 'keep' | 'undo', label: TextKey) => ({
    action: accountPaths.removeApp,
    hidden: [
      { name: 'client', value: clientId },
      { name: 'changes', value: changes },
    ],
    submit: texts.text(label),
    kind: 'danger' as const,
  })
  return {
    id: 'remove',
    heading: texts.text('apps.remove_question'),
    paragraphs: [texts.countedParts('apps.made', count), texts.parts('apps.remove_explanation', {})],
    forms: [form('keep', 'apps.remove'), form('undo', 'apps.remove_undo')],
  }
}

/** Returns the section of an app whose access has ended. */
export function endedSection(texts: Texts, app: ConnectedApp, endedAt: Date): AccountSection {
  const fact = (label: TextKey, value: string) => ({ label: texts.text(label), value: texts.parts('school.verbatim', { text: value }) })
  return {
    id: 'app',
    heading: texts.text('activity.app'),
    paragraphs: [texts.parts('apps.ended_explanation', { days: pastDays })],
    facts: [
      ...(app.ownName === undefined ? [] : [registeredNameFact(texts, app.name)]),
      fact('activity.last_used', app.lastUsedAt ? texts.moment(app.lastUsedAt) : texts.text('activity.never_used')),
      fact('activity.ended', texts.moment(endedAt)),
    ],
    links: [{ href: accountPaths.approvals, label: texts.text('approval.link') }],
  }
}

function nameForm(texts: Texts, hidden: Hidden, { name, refused }: { name: string; refused: RefusedName | undefined }): AccountForm {
  return {
    ...{ action: accountPaths.renameApp, hidden, submit: texts.text('app_name.save') },
    fields: [
      accountField({
        ...{ name: appNameField, type: 'text', label: texts.text('app_name.label'), hint: texts.text('app_name.hint') },
        ...{ value: refused?.typed ?? name, maxLength: maxAppName * 2, isOptional: true, autocomplete: 'off' },
        ...(refused && { error: refused.error }),
      }),
    ],
  }
}

/** The form that extends or shortens an access. It proposes the shortest one, so that an accidental press extends nothing. */
function endForm(texts: Texts, hidden: Hidden, rule: AccessRule): AccountForm {
  const { name, options } = durationField(texts, { ...rule, proposed: rule.offered[0] ?? 'until_removed' })
  const field = { name, label: texts.text('duration.change_label'), hint: texts.text('duration.change_explanation') }
  return {
    ...{ action: accountPaths.appEnd, hidden, submit: texts.text('duration.change') },
    fields: [accountField({ ...field, type: 'select', autocomplete: 'off', groups: [{ label: '', options }] })],
  }
}
