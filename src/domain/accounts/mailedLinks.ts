import { hash, randomToken } from '../../lib/keyring.ts'
import { withQuery } from '../../policy/accountPaths.ts'
import type { School } from '../../policy/school.ts'
import { type MailedLinkKey, type MailedLinkPurpose, saveMailedLink } from '../../store/mailedLinks.ts'
import type { Sql } from '../../store/sql.ts'

const lifeSeconds = 3600

export interface NewLink {
  purpose: MailedLinkPurpose
  /** Of the page that the link opens. */
  path: string
  email: string
  accountId?: string
  payload?: object
}

/** Makes a link that works once and for an hour, and answers its address. Only the message knows it: what is kept is a hash. */
export async function makeMailedLink(sql: Sql, school: School, { path, ...link }: NewLink): Promise<string> {
  const token = randomToken(256)
  await saveMailedLink(sql, { schoolId: school.id, id: hash(token), expiresInSeconds: lifeSeconds, ...link })
  return addressOf(school, path, { token })
}

/** Which link a token is. */
export const linkKey = (school: School, purpose: MailedLinkPurpose, token: string): MailedLinkKey => ({
  schoolId: school.id,
  purpose,
  id: hash(token),
})

/** An address for a message: the configured issuer, whatever host a request named. */
export const addressOf = (school: School, path: string, parameters: Record<string, string | undefined> = {}): string =>
  school.issuer + withQuery(path, parameters)
