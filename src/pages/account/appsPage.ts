import type { ConnectedApp } from '../../domain/accounts/connectedApps.ts'
import { accountPaths } from '../../policy/accountPaths.ts'
import type { Frame } from '../templates.ts'
import type { Texts } from '../texts.ts'
import type { AccountShell } from './accountPage.ts'
import { type AppEntry, appEntries, type EntryArguments } from './appEntries.ts'

export interface AppsPage extends Frame, AccountShell {
  introduction: string
  apps: AppEntry[]
  more: string
  grantsLabel: string
  revokeAction: string
  revoke: string
  removeAction: string
  revokeAll: { action: string; heading: string; explanation: string; submit: string } | undefined
}

export interface AppsPageArguments extends EntryArguments {
  apps: readonly ConnectedApp[]
  isMore: boolean
}

export function appsPage(texts: Texts, page: AppsPageArguments): Omit<AppsPage, keyof Frame | keyof AccountShell> {
  const { schoolName, apps, isMore } = page
  return {
    introduction: texts.text(apps.length === 0 ? 'apps.none' : 'apps.introduction', { school: schoolName }),
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
  }
}
