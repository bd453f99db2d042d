import type { Command } from 'commander'
import { rollupLock } from '../../jobs/rollups.ts'
import { rebuildSchool } from '../../store/rollups/rebuildSchool.ts'
import { define, ofSchool, type SchoolOption } from '../define.ts'
import { failure, usage } from '../failures.ts'
import { withProgress } from '../progress.ts'
import type { Session } from '../session.ts'
import { tellProgress } from '../tellProgress.ts'

interface RebuildOptions extends SchoolOption {
  from?: string
  to?: string
}

/** `analytics rebuild`. */
export function addAnalytics(program: Command, session: Session): void {
  const { terminal } = session
  const group = define(program, { form: 'analytics', about: 'The figures of a school.', examples: ['analytics rebuild'] })

  const rebuild = define(group, {
    form: 'rebuild',
    about: `Compute the figures of a school again, from its rows. The service keeps them up to date by itself; after an import with old
dates, or a copy put back, this is what makes old days right. It can be stopped and started again.`,
    examples: ['analytics rebuild', 'analytics rebuild --school demo --from 2026-01-01 --to 2026-03-31'],
  })
  ofSchool(rebuild)
    .option('--from <day>', 'first day, YYYY-MM-DD; without it the first on which anything happened', day('--from'))
    .option('--to <day>', 'last day; without it today', day('--to'))
    .action(async ({ school: slug, from, to }: RebuildOptions) => {
      if (from !== undefined && to !== undefined && from > to) throw usage('--from is after --to')
      const school = await session.school(slug)
      const database = await session.database()
      const tell = tellProgress(terminal)
      const changed = await withProgress(terminal, `computing the figures of ${school.slug}`, () =>
        database.exclusively(rollupLock, () =>
          rebuildSchool(database, {
            schoolId: school.id,
            now: new Date(),
            from,
            to,
            onProgress: (done) => tell({ name: 'days', ...done }),
          }),
        ),
      )
      if (changed === undefined) throw failure('the figures are being computed by another process just now: try again')
      await session.change(({ record }) =>
        record({ school_id: school.id, event: 'operator.analytics_rebuilt', details: { from: from ?? null, to: to ?? null, changed } }),
      )
      terminal.out(`${changed} lines of figures changed\n`)
    })
}

/** Reads a day that there is: no 30 February. */
const day = (option: string) => (text: string) => {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text)
    throw usage(`${option} takes a day like 2026-03-01, not ${text}`)
  return text
}
