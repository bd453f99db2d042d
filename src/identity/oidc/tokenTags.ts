import { hash } from '../../base/keyring.ts'
import type { ArtifactKey } from '../tokens/artifacts.ts'

/**
 * Tokens and codes contain a tag of their grant and of their client after the random part: `<random>~<grant>~<client>`. A store can thus
 * check "this grant is revoked" and "this client is revoked" in the same round trip as the token. The tags grant no access: a token is
 * found by the hash of its whole text, so a changed tag leads to an unknown token. Dots would make a token look like a JWT; tokens that
 * were issued with dots stay valid.
 */
export interface TokenTags {
  grantTag: string
  clientTag: string
}

export function tagToken(random: string, { grantTag, clientTag }: TokenTags): string {
  return [random, grantTag, clientTag].join('~')
}

function tagsOf(value: string): TokenTags | undefined {
  const [, grant, client, more] = value.split(value.includes('~') ? '~' : '.')
  return grant && client && more === undefined ? { grantTag: grant, clientTag: client } : undefined
}

/** True if a token or code of this service can have this value. */
export const hasTags = (value: string): boolean => tagsOf(value) !== undefined

export const tokenModels: ReadonlySet<string> = new Set(['AccessToken', 'RefreshToken', 'AuthorizationCode'])

export const artifactKey = (schoolId: string, model: string, value: string): ArtifactKey => ({
  schoolId,
  model,
  id: hash(value),
  ...(tokenModels.has(model) ? tagsOf(value) : {}),
})
