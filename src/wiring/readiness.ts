import type { App } from '../app.ts'
import type { AdminArguments } from '../http/admin.ts'

/** What `/readyz` says of the schools' documents. */
export function documentReadiness({ schools, truth }: Pick<App, 'schools' | 'truth'>): Pick<AdminArguments, 'checks' | 'closedSchools'> {
  return {
    checks: {
      // A process all of whose schools are closed is of no use; one closed school of several is no reason to take the others away.
      async documents() {
        const closed = Object.entries(truth.faults())
        if (closed.length === 0 || closed.length < schools.all.length) return
        throw new Error(closed.map(([slug, faults]) => `${slug}: ${faults.join('; ')}`).join('. '))
      },
    },
    closedSchools: truth.faults,
  }
}

/** With one school the check of its documents is a part of the start; with more each is looked at when it is first used. */
export async function checkTheOnlySchool({ schools, truth }: Pick<App, 'schools' | 'truth'>): Promise<void> {
  const [first, ...others] = schools.all
  if (first && others.length === 0) await truth.check(first.school)
}
