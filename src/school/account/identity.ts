import type { ScopeEntry } from '../../engine/declare/area.ts'

const identity = { area: 'identity', areaTitle: 'Your identity', verb: 'identity', from: 'learner', othersData: [] } as const

/** The scopes of OpenID Connect (Core section 5.4). They give access only to UserInfo. */
export const identityScopes: readonly ScopeEntry[] = [
  identityScope('openid', 'Confirm who you are'),
  identityScope('profile', 'See your name, picture and language'),
  identityScope('email', 'See your e-mail address'),
]

function identityScope(name: string, sentence: string): ScopeEntry {
  return { ...identity, name, sentence, sentences: { learner: sentence } }
}
