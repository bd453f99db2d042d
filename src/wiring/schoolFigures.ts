import { type SelfCheck, selfCheckStates } from '../agents/selfCheck.ts'
import type { SetGauge } from '../http/metrics.ts'
import { signingAlgorithms } from '../oidc/signingKeys.ts'
import { listSchoolsWithoutKeys, oldestKeySeconds } from '../store/signingKeys.ts'
import type { Foundation } from './foundation.ts'

/** How long the figures of the keys are served before they are read again: each process of a school reads them. */
const keysFreshMs = 30_000

/** Returns the source of the metrics about schools: their number, their self-checks and the age of their keys. */
export function schoolFigures(
  { runtime, background }: Pick<Foundation, 'runtime' | 'background'>,
  { states }: Pick<SelfCheck, 'states'>,
): (set: SetGauge) => Promise<void> {
  let keys: { readAt: number; age: number; without: number } | undefined
  const readKeys = async () => {
    const schoolIds = runtime.schools.all.map(({ school }) => school.id)
    const keepHours = runtime.config.oauth.signing_keys.keep_after_retirement_hours
    const [age, without] = await Promise.all([
      oldestKeySeconds(background.kysely, schoolIds),
      listSchoolsWithoutKeys(background.kysely, { schoolIds, algorithms: signingAlgorithms, keepHours }),
    ])
    return { readAt: performance.now(), age, without: without.length }
  }
  return async (set) => {
    set('schoolgate_schools', {}, runtime.schools.all.length)
    for (const [school, current] of Object.entries(states()))
      for (const state of selfCheckStates) set('schoolgate_self_check', { school, state }, Number(state === current))
    // The former figures stay while the database does not respond.
    if (!keys || performance.now() - keys.readAt > keysFreshMs) keys = await readKeys().catch(() => keys)
    set('schoolgate_signing_key_age_seconds', {}, keys?.age ?? 0)
    set('schoolgate_schools_without_key', {}, keys?.without ?? 0)
  }
}
