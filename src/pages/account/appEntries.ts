import { accountAppPath } from '../../base/accountPaths.ts'
import { hashedId } from '../../base/ids.ts'
import { networkKey } from '../../base/net/networkKey.ts'
import type { Reader } from '../../engine/declare/permissionSentences.ts'
import type { ConnectedApp, grantOrigins } from '../../identity/accounts/connectedApps.ts'
import { claimedRole, imitatedName } from '../../identity/clients/imitatedName.ts'
import { appNames } from '../appNames.ts'
import { alarmOf, type ConsentFact } from '../consentFacts.ts'
import type { ConsentScope } from '../consentScope.ts'
import { type Destination, destinationOf } from '../destination.ts'
import { plainText } from '../plainText.ts'
import type { TextPart, Texts } from '../texts.ts'
import { stateOf } from './appState.ts'

export interface AppEntry {
  /** Id of the heading, which distinguishes the buttons of this app from the others. */
  id: string
  clientId: string
  name: TextPart[]
  /** Warning that the app's name imitates a protected name; undefined if it does not. */
  alarm: TextPart[] | undefined
  facts: ConsentFact[]
  grants: GrantEntry[]
  remove: string
}

export interface GrantEntry {
  id: string
  grantId: string
  allowed: TextPart[]
  used: TextPart[]
  ends: TextPart[]
  scopesLabel: string
  areas: { title: string; sentences: string[] }[]
  /** When it was paused; empty if it is not. */
  paused: string
  /** The page that shows what the app did with it. */
  activity: { href: string; label: string }
}

export interface EntryArguments {
  schoolName: string
  scopes: readonly ConsentScope[]
  reader: Reader
  protectedNames: readonly string[]
  origins: Awaited<ReturnType<typeof grantOrigins>>
}

export function appEntries(texts: Texts, grants: readonly ConnectedApp[], args: EntryArguments): AppEntry[] {
  const nameOf = appNames(texts, grants)
  return [...Map.groupBy(grants, ({ clientId }) => clientId).values()].flatMap((own, at) => {
    const [newest] = own
    return newest ? [entryOf(texts, newest, own, { ...args, name: nameOf(newest), id: `app-${at + 1}` })] : []
  })
}

function entryOf(
  texts: Texts,
  app: ConnectedApp,
  grants: readonly ConnectedApp[],
  { id, name, schoolName, protectedNames, ...args }: EntryArguments & Pick<AppEntry, 'id' | 'name'>,
): AppEntry {
  const fact = (label: string, value: TextPart[], isWarning = false) => ({ label, value, isWarning })
  const origin = app.origin && { date: texts.moment(app.origin.createdAt), school: schoolName }
  const names =
    app.origin !== undefined && app.origin.registeredVia !== 'integration'
      ? { imitated: imitatedName(app.name, protectedNames), claimedRole: claimedRole(app.name) }
      : { imitated: undefined, claimedRole: undefined }
  return {
    id,
    clientId: app.clientId,
    name,
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
      ...(app.ownName === undefined ? [] : [registeredNameFact(texts, app.name)]),
      fact(texts.text('apps.id_label'), texts.parts('school.verbatim', { text: plainText(app.clientId, 300) })),
    ],
    grants: grants.map((grant, at) => grantOf(texts, grant, { ...args, id: `${id}-${at + 1}` })),
    remove: texts.text(grants.length === 1 ? 'apps.remove' : 'apps.remove_every'),
  }
}

/** The name that the app registered, on pages that call it by the name of the person. */
export const registeredNameFact = (texts: Texts, name: unknown): ConsentFact => ({
  label: texts.text('apps.registered_label'),
  value: texts.parts('school.verbatim', { text: plainText(name, 60) || texts.text('apps.nameless') }),
  isWarning: false,
})

function grantOf(
  texts: Texts,
  grant: ConnectedApp,
  { id, scopes, reader, origins }: Pick<EntryArguments, 'scopes' | 'reader' | 'origins'> & { id: string },
): GrantEntry {
  const granted = scopes.filter((scope) => grant.scopes.has(scope.name))
  return {
    id,
    grantId: grant.grantId,
    allowed: allowedOf(texts, grant.allowedAt, origins.get(grant.grantId)),
    used: grant.lastUsedAt ? texts.parts('apps.used', { date: texts.moment(grant.lastUsedAt) }) : [],
    ends: texts.parts('apps.ends', { date: texts.moment(grant.endsAt) }),
    scopesLabel: texts.counted('consent.count', granted.length),
    areas: [...Map.groupBy(granted, ({ area }) => area).values()].map((members) => ({
      title: members[0] ? texts.areaTitle(members[0]) : '',
      sentences: members.map((scope) => texts.sentence(scope, reader)),
    })),
    paused: grant.pausedAt ? stateOf(texts, grant.pausedAt, grant.pausedBy) : '',
    activity: { href: accountAppPath(hashedId('aut', grant.grantId)), label: texts.text('activity.link') },
  }
}

function allowedOf(texts: Texts, allowedAt: Date, from: ReturnType<EntryArguments['origins']['get']>): TextPart[] {
  const date = texts.moment(allowedAt)
  const { browser, system } = from?.browser ?? {}
  const network = from?.address ? networkKey(from.address) : undefined
  const device = browser && system ? texts.text('apps.device', { browser, system }) : (browser ?? system)
  if (device && network) return texts.parts('apps.allowed_from_both', { date, device, network })
  const only = device ?? network
  return only ? texts.parts('apps.allowed_from', { date, place: only }) : texts.parts('apps.allowed', { date })
}

export function placesOf(texts: Texts, redirectUris: readonly unknown[]): TextPart[] {
  const places = new Map(
    redirectUris.map(destinationOf).map((place) => [`${place.kind} ${place.kind === 'host' ? place.host : ''}`, place]),
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
