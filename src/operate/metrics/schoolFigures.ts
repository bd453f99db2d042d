import { type SelfCheck, selfCheckStates } from '../../agents/selfCheck.ts'
import type { SetGauge } from '../../base/http/metrics.ts'
import { activePeriods, countActivePeople } from '../../database/tables/activePeople.ts'
import { listSchoolsWithoutKeys, oldestKeySeconds } from '../../database/tables/signingKeys.ts'
import { signingAlgorithms } from '../../identity/oidc/signingKeys.ts'
import type { Foundation } from '../compose/foundation.ts'

/** How long the figures of the keys are served before they are read again: each process of a school reads them. */
const keysFreshMs = 30_000
/** The same of the active people: counting them reads every login. */
const peopleFreshMs = 600_000

/** Returns the source of the metrics about schools: their number, their self-checks, the age of their keys and their active people. */
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
  let people: { readAt: number; counts: readonly number[] } | undefined
  const readPeople = async () => ({
    readAt: performance.now(),
    counts: await countActivePeople(background.kysely, { days: activePeriods }),
  })
  return async (set) => {
    set('schoolgate_schools', {}, runtime.schools.all.length)
    for (const [school, current] of Object.entries(states()))
      for (const state of selfCheckStates) set('schoolgate_self_check', { school, state }, Number(state === current))
    // The former figures stay while the database does not respond.
    if (!keys || performance.now() - keys.readAt > keysFreshMs) keys = await readKeys().catch(() => keys)
    set('schoolgate_signing_key_age_seconds', {}, keys?.age ?? 0)
    set('schoolgate_schools_without_key', {}, keys?.without ?? 0)
    if (!people || performance.now() - people.readAt > peopleFreshMs) people = await readPeople().catch(() => people)
    for (const [index, days] of activePeriods.entries()) set('schoolgate_people_active', { days: String(days) }, people?.counts[index] ?? 0)
  }
}
