import type { Configuration } from 'oidc-provider'
import type { OAuthConfig } from '../config/oauth.ts'
import { isManualCode } from './manualCodeUri.ts'
import { secondsLeft } from './sessionSeconds.ts'

const days = (count: number): number => count * 86_400

/** Lifetimes in seconds. Tokens end with their grant, so the grant lives longer than the refresh token. */
export function lifetimes(oauth: OAuthConfig): Pick<Configuration, 'ttl'> {
  const { lifetimes: life } = oauth
  return {
    ttl: {
      AccessToken: life.access_token_seconds,
      AuthorizationCode: (ctx) => (isManualCode(ctx) ? life.handed_over_code_seconds : life.authorization_code_seconds),
      Grant: days(life.grant_days),
      IdToken: life.id_token_seconds,
      Interaction: life.interaction_minutes * 60,
      RefreshToken: days(life.refresh_token_days),
      Session: (_ctx, session) => secondsLeft(oauth, session),
    },
  }
}
