import { spawnSync } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { MetricsSnapshot } from '../../src/base/http/metrics.ts'
import { metricTable } from '../../src/base/http/metricTable.ts'
import { auditEvents } from '../../src/database/tables/auditEvents.ts'
import type { MetricsRequest } from '../../src/operate/metrics/metricsMessages.ts'
import { relayMetrics } from '../../src/operate/metrics/metricsRelay.ts'
import { createAgent, get, personCalled } from '../support/agent.ts'
import { documentedCommands, runWithLog } from '../support/documentedCommand.ts'
import { duringTests } from '../support/duringTests.ts'
import { startService } from '../support/service.ts'

const email = 'learner@example.org'
const hasJq = spawnSync('jq', ['--version']).status === 0

describe('the metrics', () => {
  const service = duringTests(() =>
    startService({ isLimited: true, server: { rate_limits: { default: { requests: 4, window_seconds: 3600 } } } }),
  )

  const values = async (): Promise<Map<string, number>> => {
    const { text } = await service.app.metrics.render()
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]))
  }
  const of = async (series: string): Promise<number | undefined> => (await values()).get(series)
  const requestLines = () =>
    service
      .log()
      .split('\n')
      .filter((line) => line.includes('"msg":"request"'))
      .map((line) => JSON.parse(line))

  test('have every series from the start, with the value zero', async () => {
    const found = await values()
    const families = new Set([...found.keys()].map((series) => series.replace(/\{.*/, '').replace(/_(bucket|sum|count)$/, '')))
    // Jobs have series where a scheduler runs them, readiness and configuration in a whole process, and signing keys exist soon after the start.
    const ofProcess = /^schoolgate_(job_|ready$|degraded$|configuration_|sealed_values$)/
    for (const name of Object.keys(metricTable)) if (!ofProcess.test(name)) expect(families).toContain(name)
    for (const event of Object.keys(auditEvents).filter((name) => !name.startsWith('operator.')))
      expect(found.get(`schoolgate_events_total{event="${event}"}`)).toBe(0)
    for (const operation of ['listCourses', 'listChanges', 'listSearchResults', 'oauth.token', 'mcp', 'document', '/account/apps', 'other'])
      for (const outcome of ['success', 'client_error', 'rate_limited', 'unavailable', 'server_error'])
        expect(found.get(`schoolgate_requests_total{operation="${operation}",outcome="${outcome}"}`)).toBe(0)
    expect(found.get('schoolgate_rate_limit_rejections_total{policy="token"}')).toBe(0)
    expect(found.get('schoolgate_database_up')).toBe(1)
    expect(found.get('schoolgate_workers')).toBe(1)
  })

  test('count requests by operation and outcome, and unknown paths as one operation', async () => {
    await get(`${service.issuer}/api/v1/courses`)
    await get(`${service.issuer}/api/v1/courses/nothing-here`)
    await get(`${service.issuer}/one-invented-path`)
    await get(`${service.issuer}/another-invented-path`)
    expect(await of('schoolgate_requests_total{operation="listCourses",outcome="success"}')).toBe(1)
    expect(await of('schoolgate_requests_total{operation="getCourse",outcome="client_error"}')).toBe(1)
    expect(await of('schoolgate_requests_total{operation="other",outcome="client_error"}')).toBe(2)
    expect([...(await values()).keys()].some((series) => series.includes('invented'))).toBe(false)
  })

  test('count the tokens that are issued for a code, and no refresh', async () => {
    const issued = 'schoolgate_events_total{event="token.issued"}'
    await service.addPerson({ email: 'counted@example.org' })
    const agent = await createAgent(service.issuer)
    const { body } = await agent.tokens(personCalled('counted@example.org'))
    expect(await of(issued)).toBe(1)
    expect((await agent.refresh(body.refresh_token)).status).toBe(200)
    expect(await of(issued)).toBe(1)
  })

  test('count rejections by limit, and the request line names client, person, operation and limit', async () => {
    await service.addPerson({ email })
    const agent = await createAgent(service.issuer)
    const { body } = await agent.tokens(personCalled(email))
    const rejectedBefore = await of('schoolgate_rate_limit_rejections_total{policy="default"}')
    const userAgent = `agent/1 \u00e9${'x'.repeat(400)}`
    let status = 200
    while (status === 200)
      ({ status } = await get(`${service.issuer}/api/v1/account`, {
        authorization: `Bearer ${body.access_token}`,
        'user-agent': userAgent,
      }))
    expect(status).toBe(429)
    expect(await of('schoolgate_rate_limit_rejections_total{policy="default"}')).toBe(Number(rejectedBefore) + 1)
    expect(await of('schoolgate_requests_total{operation="getAccount",outcome="rate_limited"}')).toBe(1)
    const line = requestLines().at(-1)
    expect(line).toMatchObject({
      ...{ operation: 'getAccount', status: 429, error: 'rate_limited', limit: 'default' },
      client_id: agent.clientId,
      account_id: expect.stringMatching(/^acc_[0-9a-z]{26}$/),
    })
    expect(line.user_agent).toMatch(/^agent\/1 \?+x+$/)
    expect(line.user_agent).toHaveLength(200)
    expect(requestLines().findLast(({ operation }) => operation === 'oauth.token')).toMatchObject({
      client_id: agent.clientId,
      account_id: line.account_id,
    })
  })

  test.runIf(hasJq)('the command of docs/operate.md answers which client gets the 429s', async () => {
    const [command = ''] = documentedCommands('Which client gets the 429s?')
    const { client_id } = requestLines().find(({ status }) => status === 429)
    expect((await runWithLog(command, service.log())).trim()).toBe(`1 ${client_id}\tdefault\tgetAccount`)
  })

  test('stay as they were while a source fails', async () => {
    let isBroken = false
    service.app.metrics.collect((set) => {
      if (isBroken) throw new Error('the source is broken')
      set('schoolgate_schools', {}, 1)
    })
    await values()
    isBroken = true
    expect(await of('schoolgate_schools')).toBe(1)
    expect(service.log()).toContain('metrics not collected')
  })
})

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const counted = (value: number): MetricsSnapshot =>
  [{ name: 'requests_total', help: '', type: 'counter', aggregator: 'sum', values: [{ labels: {}, value }] }] as unknown as MetricsSnapshot

const sumOf = (snapshots: MetricsSnapshot[]): number =>
  snapshots.flatMap((one) => one.flatMap(({ values }) => values)).reduce((sum, { value }) => sum + value, 0)

/** A cluster of two workers. A busy worker does not report. */
function createCluster() {
  const cluster = Object.assign(new EventEmitter(), { workers: {} as Record<number, object> })
  const answers: number[] = []
  const workers = [1, 2].map((id) => {
    const worker = {
      id,
      value: 0,
      isBusy: false,
      isConnected: () => true,
      send(message: MetricsRequest | { about: 'all metrics'; snapshots: MetricsSnapshot[] }) {
        if (message.about === 'all metrics') answers.push(sumOf(message.snapshots))
        else if (!worker.isBusy)
          cluster.emit('message', worker, { about: 'own metrics', collection: message.collection, snapshot: counted(worker.value) })
      },
    }
    cluster.workers[id] = worker
    return worker
  })
  relayMetrics(cluster as never)
  const scrape = async (): Promise<number | undefined> => {
    cluster.emit('message', workers[0], { about: 'all metrics', id: 1 })
    await vi.advanceTimersByTimeAsync(10_000)
    return answers.at(-1)
  }
  return { cluster, workers, scrape }
}

test('a worker that is too busy to report counts with its latest report, and one that ended with its last', async () => {
  const { cluster, workers, scrape } = createCluster()
  const [first, second] = workers as [(typeof workers)[0], (typeof workers)[0]]
  first.value = 20
  second.value = 10
  expect(await scrape()).toBe(30)
  second.isBusy = true
  first.value = 21
  expect(await scrape()).toBe(31)
  delete cluster.workers[2]
  cluster.emit('exit', second)
  expect(await scrape()).toBe(31)
})
