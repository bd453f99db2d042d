import { accessRule } from '../../src/identity/apps/accessDuration.ts'

/** The default rule: a year at most, which is also what the consent page proposes. */
export const yearOfAccess = accessRule(
  { lifetimes: { grant_days: 365 }, consent: { default_duration: 'until_removed' } },
  { longestDays: undefined },
)
