import type { OAuthConfig } from '../../config/oauth.ts'

/** Returns how long a session lasts after the sign-in, in seconds. `isRemembered`: the person wanted to stay signed in. */
export const sessionSeconds = ({ lifetimes }: Pick<OAuthConfig, 'lifetimes'>, isRemembered: boolean): number =>
  isRemembered ? lifetimes.session_days * 86_400 : lifetimes.unremembered_session_hours * 3600

/** Returns the seconds that are left of a session. It is counted from the sign-in: using a session does not extend it. */
export function secondsLeft(
  oauth: Pick<OAuthConfig, 'lifetimes'>,
  { transient, loginTs }: { transient?: boolean | undefined; loginTs?: number | undefined },
): number {
  const now = Math.floor(Date.now() / 1000)
  const life = sessionSeconds(oauth, loginTs !== undefined && transient !== true)
  return Math.min(life, Math.max(1, (loginTs ?? now) + life - now))
}
