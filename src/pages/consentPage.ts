import { accountPaths } from '../base/accountPaths.ts'
import type { Reader } from '../engine/declare/permissionSentences.ts'
import type { SignedInAccount } from '../identity/accounts/signedInAccount.ts'
import type { AccessRule } from '../identity/apps/accessDuration.ts'
import { type AppTerms, isStopped } from '../identity/apps/schoolAppRules.ts'
import { interactionPath } from '../identity/oidc/endpoints.ts'
import type { AskFirstField } from './askFirstField.ts'
import { areasOf, type ConsentArea, type ConsentChoosing, type UnavailableScopes, unavailableOf } from './consentAreas.ts'
import { alarmOf, type ConsentFact, destinationFact, headingOf, includedFact, originFact } from './consentFacts.ts'
import { type ConsentPreset, presetsOf } from './consentPresets.ts'
import type { ConsentScope } from './consentScope.ts'
import { includedScope, type RequestedScopes } from './consentScopes.ts'
import { type DurationField, durationField } from './durationField.ts'
import { type Frame, frame } from './frame.ts'
import { initialsOf } from './initials.ts'
import type { OpenInteraction } from './interaction.ts'
import { canUseManualCode, manualCodeField } from './manualCode.ts'
import type { PageContext } from './pageContext.ts'
import { plainText } from './plainText.ts'
import type { Views } from './templates.ts'
import type { TextKey, TextPart, Texts } from './texts.ts'

export interface ConsentPage extends Frame {
  heading: TextPart[]
  /** Warning that the app's name imitates a protected name; undefined if it does not. */
  alarm: TextPart[] | undefined
  facts: ConsentFact[]
  advice: string
  /** Says that the app needs no permission; undefined if it does. */
  mcpNotice: string | undefined
  /** Says why the school does not allow the app, or only to read; undefined if it does. */
  termsNotice: string | undefined
  signedIn: TextPart[]
  initials: string
  switchLabel: string
  switchHref: string
  /** False if the request has no permission to choose or to strike out. */
  hasChoices: boolean
  scopesHeading: string
  scopesHint: string
  /** Links to the same page with other boxes ticked. A script ticks them in place. */
  presets: ConsentPreset[]
  presetsLabel: string
  /** Scopes that are requested for the first time. */
  areas: ConsentArea[]
  unavailable: UnavailableScopes | undefined
  /** Scopes that the person allowed this app before, ticked; undefined if there are none. */
  before: { summary: string; hint: string; isOpen: boolean; areas: ConsentArea[] } | undefined
  /** How long the app gets access; undefined if nothing can be allowed. */
  duration: DurationField | undefined
  /** Lets the app ask before it does what cannot be undone; undefined if it cannot change anything. */
  askFirst: (AskFirstField & { label: string }) | undefined
  /** The manual code checkbox; undefined unless the redirect URI is a loopback address. */
  elsewhere: { name: string; value: string; label: string; hint: string } | undefined
  technical: { summary: string; rows: { label: string; values: string[] }[] }
  /** The number of requested permissions in one line. A script replaces it with the number of ticked ones. */
  summary: { text: string; live: string; liveOthers: string; area: string }
  csrf: string
  consentAction: string
  refuseAction: string
  mayAllow: boolean
  mayChoose: boolean
  allow: string
  refuse: string
  links: { href: string; label: string }[]
  script: string
}

export interface ConsentPageArguments {
  pageContext: PageContext
  open: Pick<OpenInteraction, 'interaction' | 'clientId' | 'clientName' | 'origin' | 'claimedRole' | 'destination'>
  imitated: string | undefined
  requested: RequestedScopes
  allowed: ReadonlySet<string>
  terms: Pick<AppTerms, 'access'>
  grantable: ReadonlySet<string>
  reader: Reader
  accessRule: AccessRule
  askFirst: AskFirstField | undefined
  /** The preset that the address names. */
  preset: ConsentPreset['ticked'] | undefined
  signedIn: Pick<SignedInAccount, 'name' | 'email'>
  csrf: string
}

export function consentPage(views: Views, page: ConsentPageArguments): ConsentPage {
  const { pageContext, open, requested, grantable, reader, signedIn, csrf } = page
  const { texts, schoolName } = pageContext
  const address = `${interactionPath}/${open.interaction.uid}`
  const isTrusted = open.origin?.registeredVia === 'integration' && open.destination.kind === 'host'
  const isReadOnly = page.terms.access === 'staff_read' && reader !== 'learner'
  const isAwaited = page.terms.access === 'awaited'
  const mayAllow = requested.known.some(({ name }) => grantable.has(name))
  const isIncluded = ({ name }: ConsentScope): boolean => name === includedScope && grantable.has(name)
  const included = requested.known.filter(isIncluded)
  const optional = requested.known.filter((scope) => !isIncluded(scope))
  const mayChoose = optional.some(({ name }) => grantable.has(name))
  const isBefore = ({ name }: ConsentScope): boolean => page.allowed.has(name) && grantable.has(name)
  const before = optional.filter(isBefore)
  const fresh = optional.filter((scope) => !isBefore(scope))
  const isNews = fresh.some(({ name }) => grantable.has(name))
  const choosing = (ticked: ConsentChoosing['ticked']): ConsentChoosing => ({
    reader,
    grantable,
    ticked: page.preset === 'all' ? 'unmarked' : (page.preset ?? ticked),
  })
  // Self-registered apps are unverified: what changes things or shows data of other people is granted by a deliberate choice only.
  const areas = areasOf(texts, fresh, choosing(isTrusted ? 'all' : 'harmless'))
  const alarm = alarmOf(texts, { imitated: page.imitated, claimedRole: open.claimedRole }, schoolName)
  return {
    ...frame(views, pageContext, texts.text('consent.title')),
    heading: headingOf(texts, open),
    alarm,
    facts: [
      originFact(texts, open, schoolName),
      destinationFact(texts, open.destination),
      ...included.map((scope) => includedFact(texts, texts.sentence(scope, reader))),
    ],
    advice: texts.text('consent.advice'),
    mcpNotice: isForMcp(open.interaction.params.resource) ? texts.text('consent.mcp') : undefined,
    termsNotice: termsNotice(texts, page.terms.access, reader, schoolName),
    signedIn: texts.parts('consent.signed_in', { name: plainText(signedIn.name, 60), email: plainText(signedIn.email, 254) }),
    initials: initialsOf(signedIn.name),
    switchLabel: texts.text('consent.switch'),
    switchHref: `${address}?account=other`,
    hasChoices: optional.length > 0 && !isStopped(page.terms.access),
    scopesHeading: texts.text('consent.scopes_heading'),
    // A short list shows by itself what is not ticked.
    scopesHint: texts.text(
      hintKey({ mayAllow, mayChoose, isTrusted: isTrusted || !areas.some((area) => area.isCollapsible), isNews, isReadOnly, reader }),
    ),
    presets: presetsOf(
      texts,
      optional.filter(({ name }) => !alarm && grantable.has(name)),
      { path: address, current: page.preset, signsIn: included.length > 0 },
    ),
    presetsLabel: texts.text('consent.presets'),
    areas,
    unavailable: isStopped(page.terms.access) ? undefined : unavailableOf(texts, fresh, choosing('all'), isReadOnly),
    before:
      before.length === 0
        ? undefined
        : {
            summary: beforeSummary(texts, before),
            hint: texts.text('consent.before_hint'),
            isOpen: !isNews,
            areas: areasOf(texts, before, choosing('all')),
          },
    duration: mayAllow ? durationField(texts, page.accessRule) : undefined,
    askFirst:
      page.askFirst && optional.some(({ name, verb }) => verb === 'write' && grantable.has(name))
        ? { ...page.askFirst, label: texts.text('consent.ask_first') }
        : undefined,
    elsewhere: canUseManualCode(open)
      ? { ...manualCodeField, label: texts.text('consent.elsewhere'), hint: texts.text('consent.elsewhere_hint') }
      : undefined,
    technical: technicalDetails(texts, page),
    summary: summaryOf(
      texts,
      optional.filter(({ name }) => grantable.has(name)),
      reader,
    ),
    csrf,
    consentAction: `${address}/consent`,
    // Then the app learns why the school does not allow it. Otherwise it learns that the person refused.
    refuseAction: `${address}/${page.terms.access === 'none' ? 'consent' : 'refuse'}`,
    mayAllow: mayAllow || isAwaited,
    mayChoose,
    allow: texts.text(isAwaited ? 'consent.ask_owners' : mayChoose ? 'consent.allow' : 'consent.allow_included'),
    refuse: texts.text(mayAllow || isAwaited ? 'consent.refuse' : 'consent.back'),
    links: [{ href: accountPaths.apps, label: texts.text('apps.title') }],
    script: views.script.href,
  }
}

const termsTexts = {
  full: undefined,
  staff_read: 'consent.terms_staff_read',
  awaited: 'consent.terms_awaited',
  none: 'consent.terms_none',
} as const satisfies Record<AppTerms['access'], TextKey | undefined>

function termsNotice(texts: Texts, access: AppTerms['access'], reader: Reader, school: string): string | undefined {
  const key = access === 'staff_read' && reader === 'learner' ? undefined : termsTexts[access]
  return key && texts.text(key, { school })
}

/** True if the app asks for a token for the MCP server alone, which serves visitors (RFC 8707). */
const isForMcp = (resource: unknown): boolean => {
  const resources = [resource ?? []].flat()
  return resources.length > 0 && resources.every((one) => URL.parse(String(one))?.pathname === '/mcp')
}

function beforeSummary(texts: Texts, allowed: readonly ConsentScope[]): string {
  const before = texts.counted('consent.before', allowed.length)
  const writes = allowed.filter(({ verb }) => verb === 'write').length
  return writes === 0 ? before : texts.counted('consent.before_writes', writes, { before })
}

function summaryOf(texts: Texts, scopes: readonly ConsentScope[], reader: Reader): ConsentPage['summary'] {
  const others = scopes.filter(({ othersData }) => othersData.includes(reader)).length
  const all = texts.counted('consent.count', scopes.length)
  return {
    text: others === 0 ? all : texts.counted('consent.summary_others', others, { all }),
    live: texts.text('consent.summary_live', { all: scopes.length }),
    liveOthers: texts.text('consent.summary_live_others', { all: scopes.length }),
    area: texts.text('consent.count_live', {}),
  }
}

function technicalDetails(texts: Texts, { open, requested }: ConsentPageArguments): ConsentPage['technical'] {
  const redirectUri = open.interaction.params.redirect_uri
  const row = (key: TextKey, values: string[]) => ({
    label: texts.text(key),
    values,
  })
  return {
    summary: texts.text('consent.technical'),
    rows: [
      row('consent.technical_client', [plainText(open.clientId, 300)]),
      row('consent.technical_registered', open.origin?.registeredVia === 'self' ? [texts.moment(open.origin.createdAt)] : []),
      row('consent.technical_redirect', [plainText(redirectUri, 300)]),
      row(
        'consent.technical_scopes',
        requested.known.map(({ name }) => name),
      ),
    ].filter(({ values }) => values.join('') !== ''),
  }
}

function hintKey({
  mayAllow,
  mayChoose,
  isTrusted,
  isNews,
  isReadOnly,
  reader,
}: {
  mayAllow: boolean
  mayChoose: boolean
  isTrusted: boolean
  isNews: boolean
  isReadOnly: boolean
  reader: Reader
}) {
  if (!mayChoose) return isReadOnly ? 'consent.scopes_none_read_only' : mayAllow ? 'consent.scopes_nothing_else' : 'consent.scopes_none'
  if (!isNews) return 'consent.scopes_nothing_new'
  if (isTrusted) return 'consent.scopes_hint'
  return reader === 'learner' ? 'consent.scopes_hint_unverified' : 'consent.scopes_hint_unverified_others'
}
