import { activePeriods, countActivePeople } from '../../../database/tables/activePeople.ts'
import { command, jsonOption, parsed, schoolOption } from '../command.ts'
import { usage } from '../failures.ts'

const longestDays = 400

export const active = command({
  name: 'active',
  summary: `Count active people: those with a login who signed in, or whose app called the API. Without --days, the periods are the last
${activePeriods.join(', ')} days.`,
  examples: ['people active', 'people active --days 90 --json'],
  options: { ...schoolOption, ...jsonOption, days: parsed('count', `only this period, 1 to ${longestDays} days`, daysIn) },
  async run(session, { days }) {
    const school = await session.school()
    const periods = days === undefined ? activePeriods : [days]
    const counts = await countActivePeople((await session.database()).kysely, { days: periods, schoolId: school.id })
    const rows = periods.map((period, index) => ({ school: school.slug, days: period, people: counts[index] ?? 0 }))
    session.printList(rows, { columns: ['school', 'days', 'people'], empty: 'no periods' })
  },
})

function daysIn(text: string, option: string): number {
  const days = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : Number.NaN
  if (days <= longestDays) return days
  throw usage(`${option} must be a whole number from 1 to ${longestDays}, not ${text}`)
}
