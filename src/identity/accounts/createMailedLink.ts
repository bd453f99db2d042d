import { hash, randomToken } from '../../base/keyring.ts'
import type { School } from '../../base/school.ts'
import { withQuery } from '../../base/text/withQuery.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import { type MailedLinkKey, type MailedLinkPurpose, saveMailedLink } from '../../database/tables/mailedLinks.ts'

const lifetimeSeconds = 3600

export interface NewLink {
  purpose: MailedLinkPurpose
  path: string
  email: string
  accountId?: string
  payload?: object
}

/** Creates a link that works once and expires after an hour, and returns its URL. The database stores only a hash of its token. */
export async function createMailedLink(database: SchoolReader, school: School, { path, ...link }: NewLink): Promise<string> {
  const token = randomToken(256)
  await saveMailedLink(database, { schoolId: school.id, id: hash(token), expiresInSeconds: lifetimeSeconds, ...link })
  return pageUrl(school, path, { token })
}

export const linkKey = (school: School, purpose: MailedLinkPurpose, token: string): MailedLinkKey => ({
  schoolId: school.id,
  purpose,
  id: hash(token),
})

/** Returns the URL of a page for a message. Built from the configured issuer, never from the host of a request. */
export const pageUrl = (school: School, path: string, parameters: Record<string, string | undefined> = {}): string =>
  school.issuer + withQuery(path, parameters)
