import { inSchool } from '../../database/school/inSchool.ts'
import { raiseSignal, schoolsToNotify } from '../../database/tables/appSignals.ts'
import { findSignals } from '../../database/tables/findSignals.ts'
import { signalLimits, signalRules } from '../../database/tables/signals.ts'
import { appTerms, notifyOwners } from '../../school/apps/changeAppRules.ts'
import type { With } from './jobContext.ts'

/** Looks for unusual apps, pauses them where the school wants that, and sends its owners an e-mail once a day. */
export async function watchApps(
  { database, schools, watched, send }: With<'database' | 'schools' | 'watched' | 'send'>,
  signal?: AbortSignal,
) {
  const done = { noticed: 0, paused: 0, notified: 0 }
  for (const { school_id, ...found } of await findSignals(database.kysely, watched, signalLimits)) {
    if (signal?.aborted) break
    const { isWatched } = await appTerms(inSchool(database.kysely, school_id), found.client_id)
    const pauses = isWatched ? signalRules[found.kind].pauses : 'never'
    const raised = await database.transaction((writer) => raiseSignal(inSchool(writer, school_id), { ...found, pauses }))
    done.noticed += Number(raised.isNew)
    done.paused += Number(raised.isPaused)
  }
  const known = new Map((await schools()).map((school) => [school.id, school]))
  for (const id of await schoolsToNotify(database.kysely)) {
    if (signal?.aborted) break
    const school = known.get(id)
    if (school) done.notified += await database.transaction((writer) => notifyOwners(inSchool(writer, id), { school, send }))
  }
  return done
}
