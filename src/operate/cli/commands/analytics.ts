import { rebuildSchool } from '../../../school/analytics/rollups/refreshSchool.ts'
import { rollupLock } from '../../jobs/featureJobs.ts'
import { command, group, parsed, schoolOption } from '../command.ts'
import { failure, usage } from '../failures.ts'
import { withProgress } from '../progress.ts'
import { reportProgress } from '../reportProgress.ts'

const rebuild = command({
  name: 'rebuild',
  summary: `Recompute the daily figures of a school's reports. The service keeps them up to date; run this after an import with past dates or
after restoring a backup. You can stop it and start it again.`,
  examples: ['analytics rebuild', 'analytics rebuild --school demo --from 2026-01-01 --to 2026-03-31'],
  options: {
    ...schoolOption,
    from: parsed('day', 'first day, YYYY-MM-DD (default: the first day with data)', day),
    to: parsed('day', 'last day (default: today)', day),
  },
  async run(session, { from, to }) {
    const { terminal } = session
    if (from !== undefined && to !== undefined && from > to) throw usage('--from must not be after --to')
    const school = await session.school()
    const database = await session.database()
    const report = reportProgress(terminal)
    const changed = await withProgress(terminal, `computing the daily figures of ${school.slug}`, () =>
      database.exclusively(rollupLock, () =>
        rebuildSchool(database, {
          schoolId: school.id,
          now: new Date(),
          from,
          to,
          onProgress: (done) => report({ name: 'days', ...done }),
        }),
      ),
    )
    if (changed === undefined) throw failure('another process is computing the daily figures: try again later')
    await school.change(({ record }) =>
      record({ event: 'operator.analytics_rebuilt', details: { from: from ?? null, to: to ?? null, changed } }),
    )
    terminal.out(`${changed} daily figures changed\n`)
  },
})

function day(text: string, option: string): string {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text)
    throw usage(`${option} must be an existing day such as 2026-03-01, not ${text}`)
  return text
}

export const analytics = group({ name: 'analytics', summary: 'Manages the reports of a school.', examples: ['analytics rebuild'] }, [
  rebuild,
])
