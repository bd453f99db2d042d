import { accountAppPath, accountPaths } from '../../base/accountPaths.ts'
import { hashedId } from '../../base/ids.ts'
import { type ConnectedApp, pastDays } from '../../identity/accounts/connectedApps.ts'
import { appNames } from '../appNames.ts'
import type { Frame } from '../frame.ts'
import type { TextPart, Texts } from '../texts.ts'
import type { AccountShell } from './accountPage.ts'
import { type AppEntry, appEntries, type EntryArguments } from './appEntries.ts'

export interface AppsPage extends Frame, AccountShell {
  introduction: string
  apps: AppEntry[]
  more: string
  ended:
    | { heading: string; explanation: TextPart[]; apps: { name: TextPart[]; ended: TextPart[]; href: string; link: string }[] }
    | undefined
  grantsLabel: string
  revokeAction: string
  revoke: string
  removeAction: string
  revokeAll: { action: string; heading: string; explanation: string; submit: string } | undefined
}

export interface AppsPageArguments extends EntryArguments {
  apps: readonly ConnectedApp[]
  /** Those whose access ended recently. */
  ended: readonly ConnectedApp[]
  isMore: boolean
}

export function appsPage(texts: Texts, page: AppsPageArguments): Omit<AppsPage, keyof Frame | keyof AccountShell> {
  const { schoolName, apps, ended, isMore } = page
  const nameOf = appNames(texts, [...apps, ...ended])
  return {
    introduction: texts.text(apps.length === 0 ? 'apps.none' : 'apps.introduction', { school: schoolName }),
    apps: appEntries(texts, apps, page),
    more: isMore ? texts.text('apps.more', { count: apps.length }) : '',
    ended:
      ended.length === 0
        ? undefined
        : {
            heading: texts.text('apps.ended_heading'),
            explanation: texts.parts('apps.ended_explanation', { days: pastDays }),
            apps: ended.map((app) => ({
              name: nameOf(app),
              ended: texts.parts('apps.ended', { date: texts.moment(app.endedAt ?? app.endsAt) }),
              href: accountAppPath(hashedId('aut', app.grantId)),
              link: texts.text('activity.link'),
            })),
          },
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
  }
}
