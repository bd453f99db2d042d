import { keysOf } from '../../base/text/keysOf.ts'
import type { OAuthConfig } from '../../config/oauth.ts'
import type { AppTerms } from './schoolAppRules.ts'

/** How long a person allows an app to use their account. `until_removed`: as long as the rules permit. */
export type AccessDuration = OAuthConfig['consent']['default_duration']

const daySeconds = 86_400
const seconds = { '1_hour': 3600, '1_day': daySeconds, '30_days': 30 * daySeconds } as const satisfies Record<
  Exclude<AccessDuration, 'until_removed'>,
  number
>

export interface AccessSettings {
  lifetimes: Pick<OAuthConfig['lifetimes'], 'grant_days'>
  consent: Pick<OAuthConfig['consent'], 'default_duration'>
}

/** The durations that a person can choose from. */
export interface AccessRule {
  longestSeconds: number
  /** The shortest first. The last one is `until_removed`. */
  offered: readonly AccessDuration[]
  /** The one that is chosen when the page opens. */
  proposed: AccessDuration
}

/** Decides how long an access can last. Each rule that limits it belongs here: the pages and the grants have no other bound. */
export function accessRule({ lifetimes, consent }: AccessSettings, { longestDays }: Pick<AppTerms, 'longestDays'>): AccessRule {
  const longestSeconds = Math.min(lifetimes.grant_days, longestDays ?? Infinity) * daySeconds
  const shorter = keysOf(seconds).filter((duration) => seconds[duration] < longestSeconds)
  const offered: AccessDuration[] = [...shorter, 'until_removed']
  return { longestSeconds, offered, proposed: offered.find((duration) => duration === consent.default_duration) ?? 'until_removed' }
}

export const secondsOf = (duration: AccessDuration, { longestSeconds }: AccessRule): number =>
  duration === 'until_removed' ? longestSeconds : Math.min(seconds[duration], longestSeconds)

/** Returns the chosen duration, or the proposed one if the form has none; undefined if the form has another value or several. */
export function chosenDuration(values: readonly string[], { offered, proposed }: AccessRule): AccessDuration | undefined {
  if (values.length === 0) return proposed
  return values.length === 1 ? offered.find((duration) => duration === values[0]) : undefined
}
