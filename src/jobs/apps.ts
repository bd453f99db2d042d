import { notifyOwners } from '../domain/administration/notifyOwners.ts'
import { appTerms } from '../domain/administration/schoolAppRules.ts'
import { signalLimits, signalRules } from '../policy/appSignals.ts'
import type { School } from '../policy/school.ts'
import type { SendMessage } from '../policy/sendMessage.ts'
import { raiseSignal, schoolsToNotify } from '../store/appSignals.ts'
import type { Database } from '../store/database.ts'
import { findSignals, type WatchedOperations } from '../store/findSignals.ts'
import { inSchool } from '../store/inSchool.ts'
import type { Job } from './schedule.ts'

export interface AppJobArguments {
  database: Database
  schools(): Promise<readonly School[]>
  watched: WatchedOperations
  send: SendMessage
}

/** Returns the job that looks for unusual apps, pauses them where the school wants that, and sends its owners an e-mail once a day. */
export const appJobs = ({ database, schools, watched, send }: AppJobArguments): Job[] => [
  {
    name: 'watch_apps',
    everySeconds: 60,
    run: (signal) =>
      database.exclusively('watch_apps', async () => {
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
      }),
  },
]
