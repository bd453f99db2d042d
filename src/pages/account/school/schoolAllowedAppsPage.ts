import { accountPaths } from '../../../base/accountPaths.ts'
import type { OfferedAppRow } from '../../../school/apiRows.ts'
import { contentPart, type Texts } from '../../texts.ts'
import type { AccountForm, AccountItem } from '../accountPage.ts'
import { schoolPage } from './schoolAdmin.ts'

const path = accountPaths.schoolAllowedApps

const named = ({ sent }: { sent: URLSearchParams }) => ({ app: sent.get('app') ?? '' })

/** The apps that identify themselves by a document on their own website, with a switch for each. Admins see it, and only owners change it. */
export const schoolAllowedAppsPage = schoolPage<readonly OfferedAppRow[]>({
  path,
  notices: { allowed: 'school.allowed_done', stopped: 'school.allowed_stopped' },
  read: ({ every }) => every('listOfferedApps'),
  build: ({ texts, schoolName, role }, apps) => ({
    title: 'school.allowed',
    introduction: texts.parts('school.allowed_introduction', { school: schoolName }),
    sections: [
      {
        id: 'apps',
        heading: texts.text('school.allowed_heading'),
        paragraphs: [
          ...(apps.length === 0 ? [texts.parts('school.allowed_none', {})] : []),
          ...(role === 'owner' ? [] : [texts.parts('school.rules_only_owner', {})]),
        ],
        items: apps.map((app) => itemOf(texts, app, role === 'owner')),
      },
    ],
  }),
  forms: {
    allow: { operation: 'allowApp', parameters: named, body: () => ({}), isConfirmed: true, done: 'allowed' },
    stop: { operation: 'disallowApp', parameters: named, body: () => ({}), isConfirmed: true, done: 'stopped' },
  },
})

function itemOf(texts: Texts, { id, name, host, client_id: clientId, allowed, by_operator }: OfferedAppRow, isOwner: boolean): AccountItem {
  const form: AccountForm = {
    action: `${path}/${allowed ? 'stop' : 'allow'}`,
    hidden: [{ name: 'app', value: id }],
    submit: texts.text(allowed ? 'school.allowed_stop' : 'school.allowed_allow', { app: name }),
    ...(allowed && { kind: 'danger' as const }),
  }
  return {
    id,
    title: [contentPart(name)],
    lines: [texts.parts('school.allowed_host', { host }), [contentPart(clientId)]],
    ...(allowed && { mark: texts.text(by_operator ? 'school.allowed_by_operator' : 'school.allowed_mark') }),
    ...(isOwner && !by_operator && { form }),
  }
}
