import { beforeAll, describe, expect, test } from 'vitest'
import { firstIdAt, newId, toPublicId } from '../../../src/base/ids.ts'
import { eventsEndingGrantsOf } from '../../../src/database/tables/auditEvents.ts'
import { createAgent, personCalled } from '../../support/agent.ts'
import { documentedCommands } from '../../support/documentedCommand.ts'
import { duringTests } from '../../support/duringTests.ts'
import { until } from '../../support/poll.ts'
import { type Cli, createCli, placesToTest } from './cli.ts'

const email = 'learner@example.org'

describe.each(await placesToTest())('audit, $name', ({ open }) => {
  const place = duringTests(open)
  let cli: Cli
  let schoolId: string
  beforeAll(() => {
    cli = place.cli
    schoolId = place.service.schoolId()
  })

  /** Adds entries of an age in days, and returns their ids. */
  async function addEntries(count: number, { days = 0, event = 'sign_in.failed', address = '203.0.113.77' }): Promise<string[]> {
    const at = Date.now() - days * 86_400_000
    const ids = Array.from({ length: count }, (_, index) => `${firstIdAt(at + index).slice(0, 19)}${newId().slice(19)}`)
    const rows = ids.map((id, index) => ({ school_id: schoolId, id, at: new Date(at + index), event, address }))
    await place.service.database.kysely.insertInto('audit_log').values(rows).execute()
    return ids
  }
  const lines = (text: string) => text.split('\n').filter(Boolean)
  const ndjson = async (...args: string[]) =>
    lines((await cli(['audit', '--format', 'ndjson', ...args])).out).map((line) => JSON.parse(line))

  test('the entries of a request are found although the clock was set back after its id was made', async () => {
    const request = toPublicId('req', firstIdAt(Date.now() + 30 * 60_000))
    await place.service.database.sql.query(
      "INSERT INTO audit_log (school_id, id, at, event, request_id) VALUES ($1, $2, now(), 'sign_in.failed', $3)",
      [place.service.schoolId(), newId(), request],
    )
    expect((await ndjson('--request', request)).map(({ event }) => event)).toEqual(['sign_in.failed'])
  })

  test('entries are found by event, area, person, client, grant, request and time, and the filters combine', async () => {
    const { accountId } = await place.service.addPerson({ email })
    const agent = await createAgent(place.service.issuer)
    const { body } = await agent.tokens(personCalled(email))
    await agent.post('/api/oauth/revoke', { token: body.refresh_token })
    const all = await ndjson()
    const revoked = all.find(({ event }) => event === 'token.revoked')
    expect(all.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['client.registered', 'sign_in.succeeded', 'consent.granted', 'token.issued', 'token.revoked']),
    )
    expect(all.map(({ id }) => id)).toEqual(
      all
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    )
    expect(await ndjson('--event', 'token.revoked')).toEqual([revoked])
    expect((await ndjson('--event', 'token', '--event', 'client.registered')).map(({ event }) => event)).toEqual([
      'token.revoked',
      'token.issued',
      'client.registered',
    ])
    expect((await ndjson('--client', agent.clientId)).length).toBeGreaterThan(3)
    const ofPerson = await ndjson('--person', email)
    expect(ofPerson).toEqual(await ndjson('--person', toPublicId('acc', accountId)))
    expect(new Set(ofPerson.map(({ account_id }) => account_id))).toEqual(new Set([toPublicId('acc', accountId)]))
    expect(await ndjson('--request', revoked.request_id)).toEqual([revoked])
    expect(await ndjson('--grant', revoked.grant_id, '--event', 'token.revoked')).toEqual([revoked])
    expect(await ndjson('--since', '1h', '--until', '2999-01-01', '--event', 'token.revoked')).toEqual([revoked])
    expect(await ndjson('--until', '1h')).toEqual([])
  })

  test('the entries of a grant include what ended every grant of its client', async () => {
    const agent = await createAgent(place.service.issuer)
    await agent.tokens(personCalled(email))
    const [{ grant_id }] = await ndjson('--client', agent.clientId, '--event', 'consent.granted')
    await cli(['clients', 'disable', agent.clientId, '--yes'])
    const [last] = await ndjson('--grant', grant_id)
    expect(last).toMatchObject({ event: 'operator.client_disabled', client_id: agent.clientId, details: { operator: 'ops' } })
    expect(eventsEndingGrantsOf('client')).toContain(last.event)
  })

  test('the command of docs/operate.md answers who ended a grant', async () => {
    const [command = ''] = documentedCommands('Who ended this grant?')
    const words = (grant: string) => command.replace('<grant id>', grant).split(' ').slice(1)
    const agent = await createAgent(place.service.issuer)
    const { body } = await agent.tokens(personCalled(email))
    const [{ grant_id: revoked }] = await ndjson('--client', agent.clientId, '--event', 'consent.granted')
    await agent.post('/api/oauth/revoke', { token: body.refresh_token })
    expect(lines((await cli(words(revoked))).out)[1]).toMatch(/ token\.revoked /)
    const next = await createAgent(place.service.issuer)
    await next.tokens(personCalled(email))
    const [{ grant_id: ended }] = await ndjson('--client', next.clientId, '--event', 'consent.granted')
    await cli(['grants', 'revoke', ended, '--yes'])
    expect(lines((await cli(words(ended))).out)[1]).toMatch(/ operator\.grant_revoked .*"operator":"ops"/)
  })

  test('a long trail is printed completely, once each, as CSV without formulas and as NDJSON', async () => {
    const ids = await addEntries(1203, { event: 'account.kept', address: '=1+1' })
    expect((await ndjson('--event', 'account.kept')).map(({ id }) => id)).toEqual(ids.toSorted().toReversed())
    const { out } = await cli(['audit', '--event', 'account.kept', '--format', 'csv'])
    const [header, ...rows] = lines(out)
    expect(header).toBe('at,event,account_id,client_id,grant_id,request_id,address,details,id')
    expect(rows).toHaveLength(1203)
    expect(rows[0]).toContain(",'=1+1,")
    expect((await cli(['audit', '--event', 'account.kept', '--limit', '3', '--json'])).json()).toHaveLength(3)
    expect(lines((await cli(['audit', '--event', 'account.kept'])).out)).toHaveLength(101)
    expect((await cli(['audit', '--event', 'code.replayed'])).out).toBe('no entries\n')
  })

  test('--follow prints the latest entries, then each new one once, and ends with its signal', async () => {
    await addEntries(3, { event: 'email.changed' })
    const stop = new AbortController()
    let out = ''
    const running = runFollowing(
      ['audit', '--event', 'email.changed', '--follow', '--limit', '2', '--format', 'ndjson'],
      stop.signal,
      (text) => {
        out += text
      },
    )
    await until(() => lines(out).length === 2, { what: 'the latest entries' })
    const added = await addEntries(2, { event: 'email.changed' })
    await addEntries(1, { event: 'account.created' })
    await until(() => lines(out).length === 4, { what: 'the new entries' })
    const late = await addEntries(1, { event: 'email.changed', days: 10 / 86_400 })
    await until(() => lines(out).length === 5, { what: 'the entry that was committed late' })
    stop.abort()
    expect(await running).toBe(0)
    expect(
      lines(out)
        .map((line) => JSON.parse(line).id)
        .slice(2),
    ).toEqual([...added, ...late])
  })

  async function runFollowing(args: string[], signal: AbortSignal, out: (text: string) => void): Promise<number> {
    const { exitCode } = await createCli({ ...place.options, signal, out })(args)
    return exitCode
  }

  test.each([
    [['--event', 'grant.revokd'], '--event grant.revokd is not an event of docs/audit.md; did you mean grant.revoked?'],
    [['--person', 'nobody'], 'nobody is neither an e-mail address nor an account id (acc_ and 26 characters)'],
    [['--request', 'req_1'], '--request must be the id of a request: req_ and 26 characters'],
    [['--grant', 'a b'], '--grant must be the id of a grant, as grants list shows it'],
    [
      ['--since', 'yesterday'],
      '--since must be a time such as 2026-01-31T08:00:00Z or 2026-01-31, or how long ago, such as 30m, 24h or 7d',
    ],
    [['--since', '1h', '--until', '2h'], '--since must be earlier than --until'],
    [['--limit', '0'], '--limit must be a number from 1 to 999999999'],
    [['--json', '--format', 'csv'], '--json and --format exclude each other: choose one'],
    [['--follow', '--until', '1h'], '--follow has no end: leave out --until'],
  ])('%j is rejected with one line and exit code 2', async (args, sentence) => {
    const { exitCode, out, err } = await cli(['audit', ...args])
    expect([exitCode, out, err]).toEqual([2, '', `schoolgate: ${sentence}\n`])
  })

  test('the help has examples for every filter', async () => {
    const { out } = await cli(['audit', '--help'])
    for (const option of ['--event', '--person', '--client', '--grant', '--request', '--since', '--until', '--format csv', '--follow'])
      expect(out.slice(out.indexOf('Examples:'))).toContain(option)
  })
})
