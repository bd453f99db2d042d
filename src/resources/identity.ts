import type { ScopeEntry } from '../framework/declare/scopeCatalogue.ts'

const identity = { area: 'identity', areaTitle: 'Your identity', verb: 'identity', from: 'learner' } as const

/** The scopes of OpenID Connect (Core section 5.4). They give access only to UserInfo. */
export const identityScopes: readonly ScopeEntry[] = [
  { ...identity, name: 'openid', sentence: 'Confirm who you are' },
  { ...identity, name: 'profile', sentence: 'See your name, picture and language' },
  { ...identity, name: 'email', sentence: 'See your e-mail address' },
]
