import { accountPaths, schoolAppPath } from '../../../base/accountPaths.ts'
import { withQuery } from '../../../base/text/withQuery.ts'
import type { Reader } from '../../../engine/declare/permissionSentences.ts'
import { signalSentence } from '../../../engine/write/signalSentences.ts'
import type { AppFigures, SchoolApp } from '../../../school/apps/schoolApps.ts'
import { appNames } from '../../appNames.ts'
import type { ConsentFact } from '../../consentFacts.ts'
import type { ConsentScope } from '../../consentScope.ts'
import type { Frame } from '../../frame.ts'
import type { TextPart, Texts } from '../../texts.ts'
import type { AccountShell } from '../accountPage.ts'
import { placesOf } from '../appEntries.ts'
import { notAllowed, stateOf } from '../appState.ts'

/** The list of connected apps, or of integrations, with what an owner or admin can do about them. */
export interface SchoolAppsPage extends Frame, AccountShell {
  introduction: string
  /** Shown instead of an empty list. */
  nothing: string
  /** Name of the list, which a form sends so that the browser returns to it. */
  list: 'connected' | 'integrations'
  /** The headings of the columns. The last column has the details and the actions. */
  head: string[]
  details: string
  apps: SchoolAppEntry[]
  pagesLabel: string
  pages: { href: string; label: string }[]
}

interface SchoolAppEntry {
  id: string
  clientId: string
  name: TextPart[]
  state: string
  /** A sentence for each signal. */
  signals: string[]
  /** The page that shows what the app did. */
  activityHref: string
  cells: TextPart[][]
  facts: ConsentFact[]
  scopesLabel: string
  sentences: string[]
  actions: { action: string; label: string; explanation: string }[]
}

export interface SchoolAppsArguments {
  list: SchoolAppsPage['list']
  page: number
  apps: readonly SchoolApp[]
  isMore: boolean
  figuresOf(clientId: string): AppFigures
  schoolName: string
  scopes: readonly ConsentScope[]
  reader: Reader
}

export function schoolAppsPage(
  texts: Texts,
  { list, page, apps, isMore, schoolName, ...args }: SchoolAppsArguments,
): Omit<SchoolAppsPage, keyof Frame | keyof AccountShell> {
  const path = list === 'connected' ? accountPaths.schoolApps : accountPaths.schoolIntegrations
  const nameOf = appNames(texts, apps)
  const linkTo = (number: number): string => withQuery(path, { page: number === 1 ? undefined : String(number) })
  return {
    introduction: texts.text(list === 'connected' ? 'school.apps_introduction' : 'school.integrations_introduction', {
      school: schoolName,
    }),
    nothing: apps.length > 0 ? '' : texts.text(list === 'connected' ? 'school.apps_none' : 'school.integrations_none'),
    list,
    head: (['school.app_label', 'school.people_label', 'school.last_used_label', 'school.week_label', 'school.manage_label'] as const).map(
      (key) => texts.text(key),
    ),
    details: texts.text('school.audit_details'),
    apps: apps.map((app, at) => entryOf(texts, app, { ...args, schoolName, name: nameOf(app), id: `app-${at + 1}` })),
    pagesLabel: texts.text('school.pages_label'),
    pages: [
      ...(page > 1 ? [{ href: linkTo(page - 1), label: texts.text('school.previous') }] : []),
      ...(isMore ? [{ href: linkTo(page + 1), label: texts.text('school.next') }] : []),
    ],
  }
}

function entryOf(
  texts: Texts,
  app: SchoolApp,
  {
    scopes,
    reader,
    schoolName,
    figuresOf,
    ...entry
  }: Pick<SchoolAppsArguments, 'scopes' | 'reader' | 'schoolName' | 'figuresOf'> & Pick<SchoolAppEntry, 'id' | 'name'>,
): SchoolAppEntry {
  const { clientId, origin } = app
  const granted = scopes.filter((scope) => app.scopes.has(scope.name))
  const fact = (label: string, value: TextPart[], isWarning = false): ConsentFact => ({ label, value, isWarning })
  const facts = { date: texts.moment(origin.createdAt), school: schoolName }
  const action = (path: string, key: 'end_access' | 'disable' | 'enable' | 'pause' | 'continue' | 'agree') => ({
    action: path,
    label: texts.text(`school.${key}`),
    explanation: texts.text(`school.${key}_explanation`, { school: schoolName }),
  })
  return {
    ...entry,
    clientId,
    state: shownState(texts, app),
    signals: app.signals.map((signal) => signalSentence(signal)[texts.language]),
    activityHref: schoolAppPath(clientId),
    cells: [
      texts.counted('school.people', app.people),
      app.lastUsedAt ? texts.moment(app.lastUsedAt) : texts.text('school.never_used'),
      weekOf(texts, figuresOf(clientId)),
    ].map((text) => texts.parts('school.verbatim', { text })),
    facts: [
      origin.registeredVia === 'document'
        ? fact(texts.text('consent.origin_label'), texts.parts('consent.origin_document', { ...facts, host: origin.host }))
        : origin.registeredVia === 'integration'
          ? fact(texts.text('consent.origin_label'), texts.parts('consent.origin_integration', facts))
          : fact(texts.text('consent.origin_label'), texts.parts('consent.origin_self', facts), true),
      fact(texts.text('apps.destination_label'), placesOf(texts, app.redirectUris)),
      fact(texts.text('school.id_label'), texts.parts('school.verbatim', { text: clientId })),
      fact(texts.text('school.authentication_label'), texts.parts(app.isConfidential ? 'school.with_secret' : 'school.without_secret', {})),
    ],
    scopesLabel: granted.length > 0 ? texts.counted('consent.count', granted.length) : '',
    sentences: granted.map((scope) => texts.sentence(scope, reader)),
    actions: [
      ...(app.terms.access === 'awaited' ? [action(accountPaths.schoolAgreeToApp, 'agree')] : []),
      ...(app.disabledBy !== undefined || app.grants === 0
        ? []
        : app.pausedAt
          ? [action(accountPaths.schoolContinueApp, 'continue')]
          : [action(accountPaths.schoolPauseApp, 'pause')]),
      ...(app.grants > 0 ? [action(accountPaths.schoolEndAccess, 'end_access')] : []),
      ...(app.disabledBy === undefined ? [action(accountPaths.schoolDisableApp, 'disable')] : []),
      ...(app.disabledBy === 'school' ? [action(accountPaths.schoolEnableApp, 'enable')] : []),
    ],
  }
}

/** Returns why an app cannot be used; empty if it can. */
function shownState(texts: Texts, { disabledBy, pausedAt, terms }: SchoolApp): string {
  if (disabledBy !== undefined) return texts.text(disabledBy === 'school' ? 'school.disabled_by_school' : 'school.disabled_by_operator')
  if (pausedAt) return stateOf(texts, pausedAt, 'school')
  return notAllowed(texts, terms) ?? ''
}

/** Returns what an app did in the last seven days: “12 changes, 3 deleted, 420 rows about people, 5 refused”. */
function weekOf(texts: Texts, { changes, deletions, peopleRows, refused }: AppFigures): string {
  const counts = { changes, deletions, people_rows: peopleRows, refused }
  const parts = (['changes', 'deletions', 'people_rows', 'refused'] as const).flatMap((key) =>
    counts[key] > 0 ? [texts.counted(`school.week_${key}`, counts[key])] : [],
  )
  return parts.length === 0 ? texts.text('school.week_nothing') : parts.join(', ')
}
