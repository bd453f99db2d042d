import { readLogLevel, setLogLevel, temporaryLogLevels } from '../../../database/migrations/installation.ts'
import { listSchools } from '../../../database/tables/schools.ts'
import { command, flag, group, jsonOption, parsed } from '../command.ts'
import { usage } from '../failures.ts'
import { moment } from '../table.ts'

const usualSeconds = 15 * 60
const longestSeconds = 24 * 3600
const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 }

const level = command({
  name: 'level [level]',
  summary: `Show the log level, or set another one for every process of this installation: ${temporaryLogLevels.join(', ')}. Processes follow
within five seconds and go back to LOG_LEVEL by themselves when the time is over.`,
  examples: ['log level', 'log level debug', 'log level debug --for 1h', 'log level --reset', 'log level --json'],
  options: {
    ...jsonOption,
    for: parsed('time', 'how long, such as 90s, 10m or 2h, at most 24h (default: 15m)', secondsOf),
    reset: flag('go back to LOG_LEVEL now'),
  },
  choices: { level: temporaryLogLevels },
  async run(session, { for: seconds, reset }, named) {
    const wanted = temporaryLogLevels.find((known) => known === named)
    if (wanted && reset) throw usage('give either a level or --reset')
    if (!wanted && seconds !== undefined) throw usage('--for requires a level, such as log level debug --for 10m')
    const { kysely } = await session.database()
    if (wanted || reset) {
      await session.change(async ({ writer, record }) => {
        await setLogLevel(writer, wanted && { level: wanted, seconds: seconds ?? usualSeconds })
        const details = { level: wanted ?? 'LOG_LEVEL', seconds: wanted ? (seconds ?? usualSeconds) : 0 }
        for (const { id } of await listSchools(writer)) await record({ school_id: id, event: 'operator.log_level_set', details })
      })
    }
    const current = await readLogLevel(kysely)
    const usual = session.settings().environment.LOG_LEVEL ?? 'info'
    session.printOne({ level: current?.level ?? usual, until: moment(current?.until ?? null), level_after: current ? usual : null })
  },
})

export const log = group(
  { name: 'log', summary: 'Changes the log of the running service for a while.', examples: ['log level', 'log level debug --for 10m'] },
  [level],
)

function secondsOf(text: string, option: string): number {
  const [, count, unit = ''] = /^([1-9]\d{0,4})([smh])$/.exec(text) ?? []
  const seconds = Number(count) * (unitSeconds[unit] ?? Number.NaN)
  if (seconds <= longestSeconds) return seconds
  throw usage(`${option} must be a time such as 90s, 10m or 2h, at most 24h, not ${text}`)
}
