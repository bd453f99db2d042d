import { type AuthenticationContext, contexts } from '../../policy/authenticationContext.ts'
import type { School } from '../../policy/school.ts'
import type { SecondStepRule } from '../../policy/secondStep.ts'
import type { Reader } from '../../store/database.ts'
import type { FactorOwner } from './factorOwner.ts'
import { ownFactors } from './ownFactors.ts'
import { relyingParty } from './relyingParty.ts'

/** Returns the authentication contexts that people can reach at a school. Pure. */
export function schoolContexts(school: School, rule: SecondStepRule): readonly AuthenticationContext[] {
  if (rule === 'off') return []
  return relyingParty(school) ? [contexts.multiFactor, contexts.phishingResistant] : [contexts.multiFactor]
}

/** Returns the authentication contexts that an account can reach with its second factors. */
export async function factorContexts(database: Reader, owner: FactorOwner): Promise<readonly AuthenticationContext[]> {
  const { passkeys, appSince } = await ownFactors(database, owner)
  if (passkeys.length > 0) return [contexts.multiFactor, contexts.phishingResistant]
  return appSince ? [contexts.multiFactor] : []
}
