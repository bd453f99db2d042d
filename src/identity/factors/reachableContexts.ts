import type { School } from '../../base/school.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import { type AuthenticationContext, contexts, type SecondStepRule } from '../signIn/authenticationContext.ts'
import { type FactorOwner, ownFactors } from './ownFactors.ts'
import { relyingParty } from './relyingParty.ts'

export function schoolContexts(school: School, rule: SecondStepRule): readonly AuthenticationContext[] {
  if (rule === 'off') return []
  return relyingParty(school) ? [contexts.multiFactor, contexts.phishingResistant] : [contexts.multiFactor]
}

export async function factorContexts(database: SchoolReader, owner: FactorOwner): Promise<readonly AuthenticationContext[]> {
  const { passkeys, appSince } = await ownFactors(database, owner)
  if (passkeys.length > 0) return [contexts.multiFactor, contexts.phishingResistant]
  return appSince ? [contexts.multiFactor] : []
}
