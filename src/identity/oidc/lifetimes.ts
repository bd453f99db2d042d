import type { Configuration, KoaContextWithOIDC } from 'oidc-provider'
import type { OAuthConfig } from '../../config/oauth.ts'
import { isManualCode } from './manualCodeUri.ts'
import { secondsLeft } from './sessionSeconds.ts'

const days = (count: number): number => count * 86_400

/** Returns a lifetime that ends with the grant of the request at the latest. The engine refuses lifetimes of 0. */
function withinGrant({ oidc }: KoaContextWithOIDC, seconds: number): number {
  const end = oidc.entities.Grant?.exp
  return end === undefined ? seconds : Math.max(1, Math.min(seconds, end - Math.floor(Date.now() / 1000)))
}

/**
 * Lifetimes in seconds. A refresh token is usable while its grant is: its own lifetime is that of an unused one, so that the person can
 * extend the grant.
 */
export function lifetimes(oauth: OAuthConfig): Pick<Configuration, 'ttl'> {
  const { lifetimes: life } = oauth
  return {
    ttl: {
      AccessToken: (ctx) => withinGrant(ctx, life.access_token_seconds),
      AuthorizationCode: (ctx) => (isManualCode(ctx) ? life.handed_over_code_seconds : life.authorization_code_seconds),
      Grant: days(life.grant_days),
      IdToken: (ctx) => withinGrant(ctx, life.id_token_seconds),
      Interaction: life.interaction_minutes * 60,
      RefreshToken: days(life.refresh_token_days),
      Session: (_ctx, session) => secondsLeft(oauth, session),
    },
  }
}
