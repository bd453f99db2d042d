import type { SignedInAccount } from '../domain/accounts/signedInAccount.ts'
import { interactionPath } from '../oidc/endpoints.ts'
import type { ConsentScope } from './consentScope.ts'
import type { RequestedScopes } from './consentScopes.ts'
import type { Destination } from './destination.ts'
import { canUseManualCode, manualCodeField } from './manualCode.ts'
import type { OpenInteraction } from './openInteraction.ts'
import type { PageContext } from './pageContext.ts'
import { plainText } from './plainText.ts'
import { type Frame, frame, type Views } from './templates.ts'
import type { TextPart, Texts } from './texts.ts'

/** The page on which a person chooses what an app may do. */
export interface ConsentPage extends Frame {
  heading: string
  introduction: TextPart[]
  /** Warning that the app's name imitates a protected name; undefined if it does not. */
  alarm: TextPart[] | undefined
  facts: ConsentFact[]
  advice: string
  signedIn: TextPart[]
  switchLabel: string
  switchHref: string
  scopesHeading: string
  scopesHint: string
  /** Scopes that are requested for the first time or that the person cannot grant. */
  areas: ConsentArea[]
  /** Scopes that the person allowed this app before, ticked; undefined if there are none. */
  before: { summary: string; hint: string; isOpen: boolean; areas: ConsentArea[] } | undefined
  /** The manual code checkbox; undefined unless the redirect URI is a loopback address. */
  elsewhere: { name: string; value: string; label: string; hint: string } | undefined
  csrf: string
  consentAction: string
  refuseAction: string
  mayAllow: boolean
  allow: string
  refuse: string
}

/** One line about the app. */
export interface ConsentFact {
  label: string
  value: TextPart[]
  isWarning: boolean
}

/** The scopes of one part of the school, grouped by reading and changing. */
export interface ConsentArea {
  title: string
  groups: { verb: ConsentScope['verb']; label: string; choices: ConsentChoice[] }[]
}

/** One scope: a checkbox, or struck through if the person's role cannot grant it. */
export interface ConsentChoice {
  id: string
  name: string
  sentence: string
  isGrantable: boolean
  isTicked: boolean
  notice: string
}

export interface ConsentPageArguments {
  pageContext: PageContext
  open: Pick<OpenInteraction, 'interaction' | 'clientName' | 'origin' | 'imitated' | 'destination'>
  requested: RequestedScopes
  /** Scopes that the person allowed this app before. */
  allowed: ReadonlySet<string>
  grantable: ReadonlySet<string>
  signedIn: Pick<SignedInAccount, 'name' | 'email'>
  csrf: string
}

/** Builds the page. Pure. */
export function consentPage(views: Views, page: ConsentPageArguments): ConsentPage {
  const { pageContext, open, requested, grantable, signedIn, csrf } = page
  const { texts, schoolName } = pageContext
  const address = `${interactionPath}/${open.interaction.uid}`
  const isTrusted = open.origin?.registeredVia === 'integration' && open.destination.kind === 'host'
  const mayAllow = requested.known.some(({ name }) => grantable.has(name))
  const isBefore = ({ name }: ConsentScope): boolean => page.allowed.has(name) && grantable.has(name)
  const before = requested.known.filter(isBefore)
  const fresh = requested.known.filter((scope) => !isBefore(scope))
  const isNews = fresh.some(({ name }) => grantable.has(name))
  return {
    ...frame(views, pageContext, texts.text('consent.title')),
    heading: texts.text('consent.heading'),
    introduction: open.clientName
      ? texts.parts('consent.introduction', { app: open.clientName, school: schoolName })
      : texts.parts('consent.introduction_nameless', { school: schoolName }),
    alarm: open.imitated === undefined ? undefined : texts.parts('consent.imitation', { name: open.imitated, school: schoolName }),
    facts: [originFact(texts, open, schoolName), destinationFact(texts, open.destination)],
    advice: texts.text('consent.advice'),
    signedIn: texts.parts('consent.signed_in', { name: plainText(signedIn.name, 60), email: plainText(signedIn.email, 254) }),
    switchLabel: texts.text('consent.switch'),
    switchHref: `${address}?account=other`,
    scopesHeading: texts.text('consent.scopes_heading'),
    scopesHint: texts.text(hintKey({ mayAllow, isTrusted, isNews })),
    areas: areasOf(texts, fresh, { grantable, isTrusted }),
    before:
      before.length === 0
        ? undefined
        : {
            summary: beforeSummary(texts, before),
            hint: texts.text('consent.before_hint'),
            isOpen: !isNews,
            areas: areasOf(texts, before, { grantable, isTrusted: true }),
          },
    elsewhere: canUseManualCode(open)
      ? { ...manualCodeField, label: texts.text('consent.elsewhere'), hint: texts.text('consent.elsewhere_hint') }
      : undefined,
    csrf,
    consentAction: `${address}/consent`,
    refuseAction: `${address}/refuse`,
    mayAllow,
    allow: texts.text('consent.allow'),
    refuse: texts.text(mayAllow ? 'consent.refuse' : 'consent.back'),
  }
}

function beforeSummary(texts: Texts, allowed: readonly ConsentScope[]): string {
  const before = texts.counted('consent.before', allowed.length)
  const writes = allowed.filter(({ verb }) => verb === 'write').length
  return writes === 0 ? before : texts.counted('consent.before_writes', writes, { before })
}

function hintKey({ mayAllow, isTrusted, isNews }: { mayAllow: boolean; isTrusted: boolean; isNews: boolean }) {
  if (!mayAllow) return 'consent.scopes_none'
  if (!isNews) return 'consent.scopes_nothing_new'
  return isTrusted ? 'consent.scopes_hint' : 'consent.scopes_hint_unverified'
}

function originFact(texts: Texts, { origin, destination }: ConsentPageArguments['open'], schoolName: string): ConsentFact {
  const label = texts.text('consent.origin_label')
  if (!origin) return { label, value: texts.parts('consent.origin_unknown', {}), isWarning: true }
  const values = { date: texts.date(origin.createdAt), school: schoolName }
  // Another program on the device can use the client id of an installed app (RFC 8252 section 8.6).
  if (origin.registeredVia === 'integration' && destination.kind !== 'host')
    return { label, value: texts.parts('consent.origin_integration_device', values), isWarning: true }
  return origin.registeredVia === 'integration'
    ? { label, value: texts.parts('consent.origin_integration', values), isWarning: false }
    : { label, value: texts.parts('consent.origin_self', values), isWarning: true }
}

function destinationFact(texts: Texts, { kind, host, port }: Destination): ConsentFact {
  const label = texts.text('consent.destination_label')
  if (kind === 'this computer') return { label, value: texts.parts('consent.destination_loopback', { port }), isWarning: false }
  if (kind === 'host') return { label, value: texts.parts('consent.destination_host', { host }), isWarning: false }
  if (kind === 'app') return { label, value: texts.parts('consent.destination_app', { scheme: host }), isWarning: false }
  return { label, value: texts.parts('consent.destination_unknown', {}), isWarning: true }
}

const verbs = ['identity', 'read', 'write'] as const
const verbKeys = { identity: 'consent.verb_identity', read: 'consent.verb_read', write: 'consent.verb_write' } as const

function areasOf(
  texts: Texts,
  scopes: readonly ConsentScope[],
  { grantable, isTrusted }: { grantable: ReadonlySet<string>; isTrusted: boolean },
): ConsentArea[] {
  const areas = Map.groupBy(scopes, ({ area }) => area)
  return [...areas.values()].map((members) => ({
    title: members[0] ? texts.areaTitle(members[0]) : '',
    groups: verbs
      .map((verb) => ({
        verb,
        label: texts.text(verbKeys[verb]),
        choices: members
          .filter((scope) => scope.verb === verb)
          .map((scope) => choiceOf(texts, scope, grantable.has(scope.name), isTrusted)),
      }))
      .filter(({ choices }) => choices.length > 0),
  }))
}

function choiceOf(texts: Texts, scope: ConsentScope, isGrantable: boolean, isTrusted: boolean): ConsentChoice {
  const { name, verb } = scope
  return {
    id: `scope-${name.replace(/[^a-z0-9]+/gi, '-')}`,
    name,
    sentence: texts.sentence(scope),
    isGrantable,
    // Self-registered apps are unverified: write scopes start unticked, so that granting them is a deliberate choice.
    isTicked: isGrantable && (verb !== 'write' || isTrusted),
    notice: isGrantable ? '' : texts.text('consent.not_grantable'),
  }
}
