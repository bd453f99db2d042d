import { createServer } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { addPersonTo } from '../support/addPersonTo.ts'
import { createAgent, get, personCalled, withToken } from '../support/agent.ts'
import { availableServices, redisUrl, throwawayPostgres } from '../support/databases.ts'
import { until } from '../support/poll.ts'
import { createHome, freePort, type ServiceProcess, startProcess } from '../support/process.ts'
import { type ReceivedSpan, startTraceReceiver, type TraceReceiver } from '../support/traceReceiver.ts'

const { postgresql, redis } = await availableServices()
const [trace, span] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
const learner = 'learner@example.org'

/** Starts a service with a separate database: with PostgreSQL it takes two thirds of the time of one with the embedded database. */
async function start(environment: Record<string, string>, tracing?: object): Promise<Traced> {
  const home = await createHome({ server: tracing ? { tracing } : {} })
  const postgres = postgresql ? await throwawayPostgres() : undefined
  const database: Record<string, string> = postgres ? { DATABASE_URL: postgres.url } : {}
  const service = await startProcess({ home, environment: { DEMO: 'off', LOG_FORMAT: 'json', ...database, ...environment } })
  return {
    ...service,
    databaseUrl: postgres?.url ?? '',
    async remove() {
      await service.stop()
      await postgres?.drop()
      await home.remove()
    },
  }
}

interface Traced extends ServiceProcess {
  databaseUrl: string
  /** Stops the service, and removes its data. */
  remove(): Promise<void>
}

const requestLines = ({ output }: ServiceProcess, path: string): Record<string, unknown>[] =>
  output()
    .split('\n')
    .filter((line) => line.includes('"msg":"request"') && line.includes(`"path":"${path}"`))
    .map((line) => JSON.parse(line))
/** Returns the line of a request, which is written with the response. */
const requestLine = (service: ServiceProcess, path: string) =>
  until(() => requestLines(service, path).at(-1), { what: `a line for ${path}` })

// test/operate/loadedModules.test.ts proves that no module of OpenTelemetry is loaded then.
test('without a receiver, the log names the trace of the caller', async ({ onTestFinished }) => {
  const service = await start({})
  onTestFinished(service.remove)
  await get(`${service.issuer}/api/v1/courses`, { traceparent: `00-${trace}-${span}-01` })
  await get(`${service.issuer}/api/v1/courses/nothing`, { traceparent: `00-${trace}-${span}-` })
  await get(`${service.issuer}/api/v1/events`)
  expect(await requestLine(service, '/api/v1/courses')).toMatchObject({ trace_id: trace, span_id: span })
  for (const path of ['/api/v1/courses/nothing', '/api/v1/events']) expect(await requestLine(service, path)).not.toHaveProperty('trace_id')
})

describe('with a receiver', () => {
  let receiver: TraceReceiver
  /** The tests that use it run in their order: the last one stops it. */
  let service: Traced
  beforeAll(async () => {
    receiver = await startTraceReceiver()
    service = await start(to({ OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20key,x-other=1' }), { service_name: 'school-eu' })
  })
  afterAll(async () => {
    await service?.remove()
    await receiver.stop()
  })
  afterEach(() => {
    receiver.spans.length = 0
    receiver.headers.length = 0
  })
  const to = (more: Record<string, string> = {}) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...more })
  const named = (name: string): ReceivedSpan[] => receiver.spans.filter((one) => one.name === name)
  const arrived = (name: string) => until(() => named(name)[0], { what: `the span ${name}` })
  const below = ({ traceId, spanId }: ReceivedSpan) =>
    receiver.spans.filter((one) => one.traceId === traceId && one.parentSpanId === spanId)

  test('a request continues the trace of its caller, and its statements are below it; the log names both', async () => {
    await get(`${service.issuer}/api/v1/events?unknown=secret-words`)
    await get(`${service.issuer}/api/v1/courses?limit=5`, { traceparent: `00-${trace}-${span}-01` })
    const request = await arrived('GET listCourses')
    expect(request).toMatchObject({
      ...{ traceId: trace, parentSpanId: span, kind: 2, service: 'school-eu' },
      attributes: {
        'http.request.method': 'GET',
        'http.response.status_code': 200,
        'schoolgate.operation': 'listCourses',
        'schoolgate.school': 'demo',
      },
    })
    const line = await requestLine(service, '/api/v1/courses')
    expect([line.trace_id, line.span_id, line.request_id]).toEqual([trace, request.spanId, request.attributes['schoolgate.request_id']])
    const statements = await until(() => below(request).filter(({ kind }) => kind === 3), { what: 'statements below the request' })
    expect(statements.map(({ name }) => name)).toContain('SELECT course')
    for (const { attributes } of statements) expect(Object.keys(attributes)).not.toContain('db.query.text')
    expect(receiver.headers[0]).toMatchObject({ 'x-key': 'a key', 'x-other': '1' })
    expect((await arrived('GET listEvents')).attributes['schoolgate.error']).toBe('invalid_parameter')
    expect(receiver.text()).not.toContain('secret-words')
  })

  test('an invalid traceparent begins a new trace, a caller that records nothing is respected', async () => {
    await get(`${service.issuer}/api/v1/posts`, { traceparent: `00-${trace}-${span}-00` })
    await get(`${service.issuer}/api/v1/lecturers`, { traceparent: `00-${trace}-${'0'.repeat(16)}-01` })
    // Spans arrive in the order of their ends, so that of the first request would be there.
    const request = await arrived('GET listLecturers')
    expect(request.traceId).not.toBe(trace)
    expect(request.parentSpanId).toBeUndefined()
    expect(named('GET listPosts')).toEqual([])
    expect((await requestLine(service, '/api/v1/posts')).trace_id).toBe(trace)
  })

  test('the last spans are sent at the end, and stored responses have spans as well', async () => {
    await get(`${service.issuer}/llms.txt`)
    await get(`${service.issuer}/llms.txt`)
    await service.stop()
    expect(named('GET document')).toHaveLength(2)
    expect(named('GET listPosts')).toEqual([])
  })

  test('the ratio applies to requests without a traceparent, follow_callers to the others', async ({ onTestFinished }) => {
    const [follower, strict] = await Promise.all([
      start(to(), { sample_ratio: 0, service_name: 'follower' }),
      start(to(), { sample_ratio: 0, follow_callers: false, service_name: 'strict' }),
    ])
    for (const one of [follower, strict]) onTestFinished(one.remove)
    await get(`${follower.issuer}/api/v1/events`)
    for (const { issuer } of [follower, strict]) await get(`${issuer}/api/v1/courses`, { traceparent: `00-${trace}-${span}-01` })
    await Promise.all([follower.stop(), strict.stop()])
    expect(named('GET listCourses').map((one) => one.service)).toEqual(['follower'])
    expect(named('GET listEvents')).toEqual([])
    expect(receiver.spans.filter((one) => one.service === 'strict')).toEqual([])
  })

  test.runIf(postgresql && redis)(
    'a sign-in and an API call, over PostgreSQL and Redis: every span is in the trace of its request',
    async ({ onTestFinished }) => {
      const service = await start(to({ REDIS_URL: redisUrl }))
      onTestFinished(service.remove)
      await addPersonTo(service.databaseUrl, { email: learner })
      const agent = await createAgent(service.issuer)
      const tokens = await agent.tokens(personCalled(learner)).catch((error: unknown) => {
        throw new Error(service.output().slice(-6000), { cause: error })
      })
      expect(tokens.status).toBe(200)
      expect((await withToken(`${service.issuer}/api/v1/account`, tokens.body.access_token)).status).toBe(200)
      expect(await service.stop()).toBe(0)
      const byId = new Map(receiver.spans.map((one) => [one.spanId, one]))
      const orphans = receiver.spans.filter(({ parentSpanId }) => parentSpanId !== undefined && !byId.has(parentSpanId))
      expect(orphans).toEqual([])
      for (const one of receiver.spans) {
        const parent = byId.get(one.parentSpanId ?? '')
        if (parent) expect(parent.traceId).toBe(one.traceId)
      }
      const [token] = named('POST oauth.token')
      expect(token?.attributes['schoolgate.client_id']).toBe(agent.clientId)
      const stores = below(token as ReceivedSpan).map(({ attributes }) => attributes['db.system.name'])
      expect(stores).toContain('redis')
      expect(stores).toContain('postgresql')
      // Statements and commands have a parent: polls of the background have no spans.
      expect(receiver.spans.filter(({ attributes, parentSpanId }) => attributes['db.system.name'] && !parentSpanId)).toEqual([])
    },
  )
})

// At the same time: most of what they take is waiting for the receiver.
describe.concurrent('with a receiver that does not work', () => {
  const failures = (service: ServiceProcess) =>
    service
      .output()
      .split('\n')
      .filter((line) => line.includes('traces not exported'))

  test('requests are served, one line reports it, and the service stops in time', async ({ expect, onTestFinished }) => {
    const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}` })
    onTestFinished(service.remove)
    for (let count = 0; count < 50; count += 1) expect((await get(`${service.issuer}/api/v1/courses`)).status).toBe(200)
    await until(() => failures(service).length > 0, { what: 'a report of the failed export' })
    for (let count = 0; count < 50; count += 1) expect((await get(`${service.issuer}/api/v1/courses`)).status).toBe(200)
    expect(await service.stop()).toBe(0)
    expect(failures(service)).toHaveLength(1)
  })

  test('a receiver that never responds does not hold up requests or the end of the service', async ({ expect, onTestFinished }) => {
    const silent = createServer(() => undefined)
    await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening))
    try {
      const { port } = silent.address() as { port: number }
      const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` })
      onTestFinished(service.remove)
      for (let count = 0; count < 20; count += 1) expect((await get(`${service.issuer}/api/v1/courses`)).status).toBe(200)
      expect(await service.stop()).toBe(0)
    } finally {
      silent.closeAllConnections()
      await new Promise((closed) => silent.close(closed))
    }
  })
})
