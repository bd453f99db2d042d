import type { Role } from '../../base/caller.ts'
import type { School } from '../../base/school.ts'
import type { AuthenticationContext } from './authenticationContext.ts'

/**
 * The rule of a school about second factors: never asked, asked of people who have set one up, or required for the people of some roles.
 */
export type SecondStepRule = 'off' | 'optional' | { required_for: readonly Role[] }

export const isRequiredFor = (rule: SecondStepRule, role: Role): boolean => typeof rule === 'object' && rule.required_for.includes(role)

export interface SecondFactorRules {
  ruleOf(school: School): SecondStepRule
  /** Returns true if the person of this account needs a second factor by their current role. */
  isRequired(school: School, accountId: string): Promise<boolean>
  /** Returns every authentication context that people can reach at this school. */
  contexts(school: School): readonly AuthenticationContext[]
  /** Returns the contexts that this account can reach with the factors that it has, or has to set up. */
  reachable(school: School, accountId: string): Promise<readonly AuthenticationContext[]>
}
