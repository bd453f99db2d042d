import type { ConnectedApp } from '../../domain/accounts/connectedApps.ts'
import { endpoints } from '../../oidc/endpoints.ts'
import { accountPaths } from '../../policy/accountPaths.ts'
import { plainText } from '../plainText.ts'
import type { Frame } from '../templates.ts'
import type { TextPart, Texts } from '../texts.ts'
import { type AppEntry, appEntries, type EntryArguments } from './appEntries.ts'
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
  grantsLabel: string
  revokeAction: string
  revoke: string
  removeAction: string
  revokeAll: { action: string; heading: string; explanation: string; submit: string } | undefined
  everywhere: { action: string; heading: string; explanation: string; box: string; submit: string }
  signOut: { href: string; label: string }
}

export interface AppsPageArguments extends EntryArguments {
  now: Date
  person: Pick<SignedInPerson, 'who'>
  apps: readonly ConnectedApp[]
  isMore: boolean
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
    apps: appEntries(texts, apps, page),
    more: isMore ? texts.text('apps.more', { count: apps.length }) : '',
    grantsLabel: texts.text('apps.grants_label'),
    revokeAction: accountPaths.revokeApp,
    revoke: texts.text('apps.revoke'),
    removeAction: accountPaths.removeApp,
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
