import { accountPaths } from '../../../base/accountPaths.ts'
import { withQuery } from '../../../base/text/withQuery.ts'
import type { OfferedAppRow } from '../../../school/apiRows.ts'
import { contentPart, type Texts } from '../../texts.ts'
import type { AccountItem } from '../accountPage.ts'
import { deedAddress, noRow } from './manage/addresses.ts'
import { schoolPage } from './schoolAdmin.ts'

/**
 * The apps that identify themselves by a document on their own website. Each leads to the operation that allows it. Admins see them, and only
 * owners change them.
 */
export const schoolAllowedAppsPage = schoolPage<readonly OfferedAppRow[]>({
  path: accountPaths.schoolAllowedApps,
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
})

function itemOf(texts: Texts, { id, name, host, client_id: clientId, allowed, by_operator }: OfferedAppRow, isOwner: boolean): AccountItem {
  const link = {
    href: withQuery(deedAddress('school', noRow, allowed ? 'disallowApp' : 'allowApp'), { app: id }),
    label: texts.text(allowed ? 'school.allowed_stop' : 'school.allowed_allow', { app: name }),
  }
  return {
    id,
    title: [contentPart(name)],
    lines: [texts.parts('school.allowed_host', { host }), [contentPart(clientId)]],
    ...(allowed && { mark: texts.text(by_operator ? 'school.allowed_by_operator' : 'school.allowed_mark') }),
    ...(isOwner && !by_operator && { link }),
  }
}
