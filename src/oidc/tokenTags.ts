import { hash } from '../lib/keyring.ts'

/**
 * Tokens and codes carry a tag of their grant and of their client behind the random part: `<random>.<grant>.<client>`.
 * A store can thus look for "this grant has ended" and "this client has ended" in the same trip as for the token itself.
 * The tags open nothing: a token is found by the hash of its whole text, and a tag that was altered leads nowhere.
 */
export interface TokenTags {
  grantTag: string
  clientTag: string
}

export const grantTag = (schoolId: string, grantId: string): string => hash(`${schoolId} grant ${grantId}`).slice(0, 16)
export const clientTag = (schoolId: string, clientId: string): string => hash(`${schoolId} client ${clientId}`).slice(0, 12)

/** Puts the tags behind a random value. */
export function tagToken(random: string, { grantTag, clientTag }: TokenTags): string {
  return `${random}.${grantTag}.${clientTag}`
}

/** The tags of a presented value, or undefined where it carries none. */
export function tagsOf(value: string): TokenTags | undefined {
  const [, grant, client, more] = value.split('.')
  return grant && client && more === undefined ? { grantTag: grant, clientTag: client } : undefined
}
