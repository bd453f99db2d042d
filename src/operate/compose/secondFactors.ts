import { inSchool } from '../../database/school/inSchool.ts'
import { factorContexts, schoolContexts } from '../../identity/factors/reachableContexts.ts'
import { contexts, isRequiredFor, type SecondFactorRules } from '../../identity/signIn/authenticationContext.ts'
import { type Foundation, personIn } from './foundation.ts'
import { schoolConfigOf } from './runtime.ts'

/** Returns the rules about second factors from the configuration of each school. */
export function createSecondFactorRules({ runtime, accounts }: Pick<Foundation, 'runtime' | 'accounts'>): SecondFactorRules {
  const ruleOf: SecondFactorRules['ruleOf'] = (school) => schoolConfigOf(runtime, school).second_step
  const isRequired: SecondFactorRules['isRequired'] = async (school, accountId) => {
    const rule = ruleOf(school)
    // The other rules need no role, so no statement is sent.
    if (typeof rule !== 'object') return false
    const person = await personIn(accounts)(school.id, accountId)
    return person !== undefined && isRequiredFor(rule, person.role)
  }
  return {
    ruleOf,
    isRequired,
    contexts: (school) => schoolContexts(school, ruleOf(school)),
    async reachable(school, accountId) {
      const offered = schoolContexts(school, ruleOf(school))
      const own = await factorContexts(inSchool(accounts.kysely, school.id), { schoolId: school.id, accountId })
      const reached = (await isRequired(school, accountId)) ? [contexts.multiFactor, ...own] : own
      return offered.filter((context) => reached.includes(context))
    },
  }
}
