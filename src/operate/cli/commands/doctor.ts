import { examine } from '../../../agents/selfCheck.ts'
import { origin } from '../../../config/address.ts'
import type { SchoolConfig } from '../../../config/schools.ts'
import { resources, scopeCatalogue } from '../../../school/index.ts'
import { expectedOf } from '../../compose/selfCheck.ts'
import { type Check, type CheckResult, type CheckState, runCheck } from '../../doctor/check.ts'
import { clientChecks } from '../../doctor/clientChecks.ts'
import { type ClientShape, clientShapes } from '../../doctor/clientShapes.ts'
import { flowChecks } from '../../doctor/flowChecks.ts'
import { gatewayChecks } from '../../doctor/gatewayChecks.ts'
import { localChecks } from '../../doctor/localChecks.ts'
import { publicChecks } from '../../doctor/publicChecks.ts'
import { sendRequest } from '../../doctor/sendRequest.ts'
import { tlsChecks } from '../../doctor/tlsChecks.ts'
import { command, jsonOption, schoolOption, text, texts } from '../command.ts'
import { failure, usage } from '../failures.ts'
import { withProgress } from '../progress.ts'
import type { Session } from '../session.ts'
import { printList } from '../table.ts'

export const doctor = command({
  name: 'doctor',
  summary: `Check a running deployment as its clients see it: the public address with its gateway, TLS, discovery, registration, a whole
sign-in with a temporary client and person, MCP, and the installation itself. What a check creates is removed. Prints every check with the
way out, and exits with 1 if one failed. Without --base-url and --school it checks every school. With --client it sends what this client
sends instead, up to the sign-in page, and says what to set if the client does not work.`,
  examples: [
    'doctor',
    'doctor --only certificate streaming',
    'doctor --base-url https://school.example.com --json',
    'doctor --school demo --mail-to ops@example.com',
    'doctor --client codex',
  ],
  options: {
    ...schoolOption,
    ...jsonOption,
    baseUrl: text('url', 'public address to check (default: the issuers of the schools)'),
    mailTo: text('email', 'send a test message to this address'),
    only: texts('check', 'run only these checks, by their names in the table'),
    client: text('name', 'replay the requests of this client; help lists the names'),
  },
  async run(session, { school: slug, baseUrl, mailTo, only, client, json }) {
    const { terminal } = session
    if (baseUrl !== undefined && !origin.safeParse(baseUrl).success)
      throw usage(`--base-url must be an origin such as https://school.example.com, without a path, not ${baseUrl}`)
    if (mailTo !== undefined && !/^[^\s@]+@[^\s@]+$/.test(mailTo)) throw usage(`${mailTo} is not an e-mail address`)
    if (client === 'help') return terminal.out(`${clientNames.join('\n')}\n`)
    const startedAt = new Date()
    const shape = shapeCalled(client)
    const addresses = addressesOf(session.settings().config.schools, { slug, baseUrl })
    const planned: Plan[] = shape
      ? addresses.map((address) => planOf(session, shape, address))
      : [
          { slug: null, checks: localChecks({ session, mailTo }) },
          ...addresses.map(({ base, school }) => ({ slug: school?.slug ?? null, checks: checksOf(session, base, school) })),
        ]
    requireKnown(
      only,
      planned.flatMap(({ checks }) => checks.map(({ id }) => id)),
    )
    const results: CheckResult[] = []
    for (const { slug: of, checks, cleanUp } of planned) {
      try {
        for (const check of checks.filter(({ id }) => only?.includes(id) ?? true))
          results.push(await withProgress(terminal, `checking ${check.id}`, () => runCheck(check, of)))
      } finally {
        await cleanUp?.()
      }
    }
    print(session, results, { json, startedAt })
    const bad = results.filter(({ state }) => state === 'failed')
    if (bad.length > 0) throw failure(`${bad.length} of ${results.length} checks failed: ${bad.map(({ id }) => id).join(', ')}`)
  },
})

interface Plan {
  slug: string | null
  checks: Check[]
  cleanUp?(): Promise<void>
}

const clientNames = clientShapes.map(({ name }) => name)

function shapeCalled(name: string | undefined): ClientShape | undefined {
  if (name === undefined) return undefined
  const shape = clientShapes.find((one) => one.name === name)
  if (!shape) throw usage(`--client: ${name} is not a known client; choose from ${clientNames.join(', ')}`)
  return shape
}

function planOf(session: Session, shape: ClientShape, { base, school }: Address): Plan {
  if (!school) throw usage(`--client needs a school of this installation: ${base} is not the address of one. Use --school`)
  const { slug, docs_url: docsUrl, integrations } = school
  const enabled = integrations.filter((integration) => integration.enabled)
  return { slug, ...clientChecks(shape, { base, school: () => session.school(slug), docsUrl, session, integrations: enabled, slug }) }
}

function requireKnown(only: readonly string[] = [], known: readonly string[]): void {
  const unknown = only.find((id) => !known.includes(id))
  if (unknown !== undefined) throw usage(`--only: ${unknown} is not a check; choose from ${[...new Set(known)].join(', ')}`)
}

interface Address {
  base: string
  school: SchoolConfig | undefined
}

function addressesOf(
  schools: readonly SchoolConfig[],
  { slug, baseUrl }: { slug: string | undefined; baseUrl: string | undefined },
): Address[] {
  const slugs = schools.map((school) => school.slug)
  if (slug !== undefined && !slugs.includes(slug)) throw usage(`school ${slug} is not configured; configured schools: ${slugs.join(', ')}`)
  if (baseUrl === undefined)
    return schools.filter((school) => slug === undefined || school.slug === slug).map((school) => ({ base: school.issuer, school }))
  const named = slug === undefined ? schools.find(({ issuer }) => issuer === baseUrl) : schools.find((school) => school.slug === slug)
  return [{ base: baseUrl, school: named ?? (schools.length === 1 ? schools[0] : undefined) }]
}

function checksOf(session: Session, base: string, school: SchoolConfig | undefined): Check[] {
  const { config } = session.settings()
  const scopes = scopeCatalogue(resources)
  const ask: Parameters<typeof examine>[0] = async (address, { method, headers, body } = {}) => {
    const {
      status,
      headers: got,
      text,
    } = await sendRequest(address, { ...(method && { method }), ...(headers && { headers }), ...(body && { body }) })
    return { status, headers: got, text }
  }
  return [
    ...tlsChecks(base),
    ...publicChecks({ base, issuer: school?.issuer, selfCheck: () => examine(ask, expectedOf(base, config, scopes)) }),
    ...gatewayChecks({ base, keyring: session.keyring() }),
    ...(school ? flowChecks({ base, school: () => session.school(school.slug), docsUrl: school.docs_url, session }) : []),
  ]
}

const states: readonly CheckState[] = ['passed', 'warned', 'failed', 'skipped']

function print(
  { terminal }: Session,
  results: readonly CheckResult[],
  { json, startedAt }: { json: boolean | undefined; startedAt: Date },
): void {
  const counts = Object.fromEntries(states.map((state) => [state, results.filter((result) => result.state === state).length]))
  if (json) {
    const checks = results.map(({ fix = null, ...result }) => ({ ...result, fix }))
    terminal.out(`${JSON.stringify({ version: 1, started_at: startedAt.toISOString(), ...counts, checks }, undefined, 2)}\n`)
    return
  }
  const rows = results.map(({ state, school, id, detail }) => ({ state, check: id, school, detail }))
  printList(terminal, rows, { json: false, columns: ['state', 'check', 'school', 'detail'], empty: 'no checks' })
  for (const { state, id, detail, fix } of results) {
    if (state === 'failed' || state === 'warned') terminal.out(`\n${id} ${state}: ${detail}\n  ${fix ?? ''}\n`)
  }
  terminal.out(`\n${states.map((state) => `${counts[state]} ${state}`).join(', ')}\n`)
}
