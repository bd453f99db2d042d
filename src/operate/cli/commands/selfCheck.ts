import { examine } from '../../../agents/selfCheck.ts'
import { overHttp } from '../../../base/http/inProcess.ts'
import { resources, scopeCatalogue } from '../../../school/index.ts'
import { expectedOf } from '../../compose/selfCheck.ts'
import { command, jsonOption, schoolOption } from '../command.ts'
import { failure, usage } from '../failures.ts'
import { withProgress } from '../progress.ts'

export const selfCheck = command({
  name: 'self-check',
  summary: `Check that the metadata and documents of the running service agree with what it serves. Sends requests to PORT on HOST, as a
client does. Without --school it checks every school.`,
  examples: ['self-check', 'self-check --school demo', 'self-check --json'],
  options: { ...schoolOption, ...jsonOption },
  async run({ terminal, settings, printList }, { school: slug, json }) {
    const { environment, config } = settings()
    const slugs = config.schools.map((school) => school.slug)
    if (slug !== undefined && !slugs.includes(slug))
      throw usage(`school ${slug} is not configured; configured schools: ${slugs.join(', ')}`)
    const host = addressOf(environment.HOST)
    const ask = overHttp({ host, port: environment.PORT })
    const scopes = scopeCatalogue(resources)
    const rows: { school: string; state: string; problems: readonly string[]; milliseconds: number }[] = []
    for (const school of config.schools.filter((one) => slug === undefined || one.slug === slug)) {
      const result = await withProgress(terminal, `checking ${school.slug}`, () => examine(ask, expectedOf(school.issuer, config, scopes)))
      rows.push({ school: school.slug, ...result })
    }
    printList(rows, { columns: ['school', 'state', 'milliseconds'], empty: 'no schools' })
    if (!json) for (const { school, problems } of rows) for (const problem of problems) terminal.out(`${school}: ${problem}\n`)
    const bad = rows.filter(({ state }) => state !== 'passed')
    if (bad.length === 0) return
    const isSilent = bad.every(({ state }) => state === 'unknown')
    const hint = isSilent ? `; check that the service is running on ${host} port ${environment.PORT}` : ''
    throw failure(`the self-check did not pass: ${bad.map(({ school, state }) => `${school} ${state}`).join(', ')}${hint}`)
  },
})

/** Returns the address at which a server on `host` accepts connections. */
const addressOf = (host: string): string => (host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host)
