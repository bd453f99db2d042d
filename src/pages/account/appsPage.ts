import type { ConnectedApp } from '../../domain/accounts/connectedApps.ts'
import { endpoints } from '../../oidc/endpoints.ts'
import { accountPaths } from '../../policy/accountPaths.ts'
import { claimedRole } from '../../policy/claimedRole.ts'
import { imitatedName } from '../../policy/imitatedName.ts'
import type { Reader } from '../../policy/permissionSentences.ts'
import { alarmOf } from '../consentFacts.ts'
import type { ConsentScope } from '../consentScope.ts'
import { type Destination, destinationOf } from '../destination.ts'
import { plainText } from '../plainText.ts'
import type { Frame } from '../templates.ts'
import type { TextPart, Texts } from '../texts.ts'
import type { SignedInPerson } from './signedInPerson.ts'

/** The page of the apps that a person has connected, with the forms that disconnect them. */
export interface AppsPage extends Frame {
  heading: string
  signedIn: TextPart[]
  introduction: string
  /** Confirmation of the last action; empty if there was none. */
  notice: string
  /** Notice that the account will be deleted, with the form that keeps it; undefined if no deletion is scheduled. */
  deletion: { heading: string; explanation: string; keep: { action: string; submit: string } | undefined } | undefined
  csrf: string
  apps: AppEntry[]
  /** Notice that not all apps are shown; empty if all are. */
  more: string
  revokeAction: string
  revoke: string
  revokeAll: { action: string; heading: string; explanation: string; submit: string } | undefined
  everywhere: { action: string; heading: string; explanation: string; box: string; submit: string }
  signOut: { href: string; label: string }
}

/** One app. */
export interface AppEntry {
  /** Id of the heading, which distinguishes the button of this app from the others. */
  id: string
  grantId: string
  name: TextPart[]
  /** Warning that the app's name imitates a protected name; undefined if it does not. */
  alarm: TextPart[] | undefined
  facts: { label: string; value: TextPart[]; isWarning: boolean }[]
  scopesLabel: string
  areas: { title: string; sentences: string[] }[]
}

export interface AppsPageArguments {
  schoolName: string
  now: Date
  person: Pick<SignedInPerson, 'who'>
  apps: readonly ConnectedApp[]
  isMore: boolean
  scopes: readonly ConsentScope[]
  /** The person of the page. */
  reader: Reader
  protectedNames: readonly string[]
  notice: string
  csrf: string
}

/** Builds the page. Pure. */
export function appsPage(texts: Texts, page: AppsPageArguments): Omit<AppsPage, keyof Frame> {
  const { schoolName, person, apps, isMore, notice, csrf } = page
  return {
    heading: texts.text('apps.heading'),
    signedIn: texts.parts('consent.signed_in', { name: plainText(person.who.name, 60), email: plainText(person.who.email, 254) }),
    introduction: texts.text(apps.length === 0 ? 'apps.none' : 'apps.introduction', { school: schoolName }),
    notice,
    deletion: deletionOf(texts, page),
    csrf,
    apps: apps.map((app, at) => entryOf(texts, app, at, page)),
    more: isMore ? texts.text('apps.more', { count: apps.length }) : '',
    revokeAction: accountPaths.revokeApp,
    revoke: texts.text('apps.revoke'),
    revokeAll:
      apps.length < 2
        ? undefined
        : {
            action: accountPaths.revokeAllApps,
            heading: texts.text('apps.revoke_all_heading'),
            explanation: texts.text('apps.revoke_all_explanation'),
            submit: texts.text('apps.revoke_all'),
          },
    everywhere: {
      action: accountPaths.signOutEverywhere,
      heading: texts.text('apps.everywhere_heading'),
      explanation: texts.text('apps.everywhere_explanation'),
      box: texts.text('apps.everywhere_box'),
      submit: texts.text('apps.everywhere'),
    },
    signOut: { href: endpoints.end_session.path, label: texts.text('apps.sign_out') },
  }
}

function deletionOf(texts: Texts, { person: { who }, now, schoolName }: AppsPageArguments): AppsPage['deletion'] {
  const at = who.deletion_scheduled_at
  if (!at) return undefined
  const isInTime = at > now
  return {
    heading: texts.text('apps.deletion_heading'),
    explanation: texts.text(isInTime ? 'apps.deletion' : 'apps.deletion_under_way', { date: texts.date(at), school: schoolName }),
    keep: isInTime ? { action: accountPaths.keep, submit: texts.text('apps.keep') } : undefined,
  }
}

function entryOf(texts: Texts, app: ConnectedApp, at: number, { scopes, reader, protectedNames, schoolName }: AppsPageArguments): AppEntry {
  const name = plainText(app.name, 60)
  const fact = (label: string, value: TextPart[], isWarning = false) => ({ label, value, isWarning })
  const origin = app.origin && { date: texts.date(app.origin.createdAt), school: schoolName }
  const isUnverified = app.origin !== undefined && app.origin.registeredVia !== 'integration'
  const names = isUnverified
    ? { imitated: imitatedName(app.name, protectedNames), claimedRole: claimedRole(app.name) }
    : { imitated: undefined, claimedRole: undefined }
  const granted = scopes.filter((scope) => app.scopes.has(scope.name))
  return {
    id: `app-${at + 1}`,
    grantId: app.grantId,
    name: name ? texts.parts('apps.name', { app: name }) : texts.parts(app.origin ? 'apps.nameless' : 'apps.gone', {}),
    alarm: alarmOf(texts, names, schoolName),
    facts: [
      ...(app.origin && origin
        ? [
            app.origin.registeredVia === 'document'
              ? fact(texts.text('consent.origin_label'), texts.parts('consent.origin_document', { ...origin, host: app.origin.host }))
              : app.origin.registeredVia === 'integration'
                ? fact(texts.text('consent.origin_label'), texts.parts('consent.origin_integration', origin))
                : fact(texts.text('consent.origin_label'), texts.parts('consent.origin_self', origin), true),
          ]
        : []),
      ...(app.origin ? [fact(texts.text('apps.destination_label'), placesOf(texts, app.redirectUris))] : []),
      fact(texts.text('apps.allowed_label'), texts.parts('apps.date', { date: texts.date(app.allowedAt) })),
      fact(
        texts.text('apps.used_label'),
        app.lastUsedAt ? texts.parts('apps.date', { date: texts.date(app.lastUsedAt) }) : texts.parts('apps.never_used', {}),
      ),
    ],
    scopesLabel: texts.text('apps.scopes_label'),
    areas: [...Map.groupBy(granted, ({ area }) => area).values()].map((members) => ({
      title: members[0] ? texts.areaTitle(members[0]) : '',
      sentences: members.map((scope) => texts.sentence(scope, reader)),
    })),
  }
}

/** Hosts of the redirect URIs that the app registered, without duplicates. */
function placesOf(texts: Texts, redirectUris: readonly unknown[]): TextPart[] {
  const places = new Map(
    redirectUris.map(destinationOf).map((place) => [`${place.kind} ${place.kind === 'this computer' ? '' : place.host}`, place]),
  )
  const parts = [...places.values()].slice(0, 5).map((place) => partsOf(texts, place))
  return parts.flatMap((part, at) => (at === 0 ? part : [{ text: ', ', isolated: false }, ...part]))
}

function partsOf(texts: Texts, { kind, host }: Destination): TextPart[] {
  if (kind === 'this computer') return texts.parts('apps.destination_loopback', {})
  if (kind === 'host') return texts.parts('consent.destination_host', { host })
  if (kind === 'app') return texts.parts('apps.destination_app', { scheme: host })
  return texts.parts('consent.destination_unknown', {})
}
