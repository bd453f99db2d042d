import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createAgent, get, personCalled, withToken } from '../support/agent.ts'
import { availableServices, throwawayPostgres } from '../support/databases.ts'
import { until } from '../support/poll.ts'
import { createHome, freePort, type Home, type ServiceProcess, startProcess } from '../support/process.ts'
import { type ReceivedSpan, startTraceReceiver, type TraceReceiver } from '../support/traceReceiver.ts'

const preload = pathToFileURL(resolve(import.meta.dirname, '../support/listModules.ts')).href
const { postgresql, redis } = await availableServices()
const [trace, span] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
const demoLearner = 'learner001@example.org'

let home: Home
let running: ServiceProcess | undefined
let postgres: Awaited<ReturnType<typeof throwawayPostgres>> | undefined
/** The database of most tests: a start with PostgreSQL takes two thirds of the time of one with the embedded database. */
let database: Record<string, string> = {}
beforeAll(async () => {
  if (!postgresql) return
  postgres = await throwawayPostgres()
  database = { DATABASE_URL: postgres.url }
})
afterEach(async () => {
  await running?.stop()
  running = undefined
  await home.remove()
})
afterAll(() => postgres?.drop())

const start = async (environment: Record<string, string>, tracing?: object): Promise<ServiceProcess> => {
  home = await createHome({ server: tracing ? { tracing } : {} })
  running = await startProcess({ home, environment: { DEMO: 'off', LOG_FORMAT: 'json', ...database, ...environment } })
  return running
}
const requestLines = ({ output }: ServiceProcess, path: string): Record<string, unknown>[] =>
  output()
    .split('\n')
    .filter((line) => line.includes('"msg":"request"') && line.includes(`"path":"${path}"`))
    .map((line) => JSON.parse(line))
/** Returns the line of a request, which is written with the response. */
const requestLine = (service: ServiceProcess, path: string) =>
  until(() => requestLines(service, path).at(-1), { what: `a line for ${path}` })

describe('without a receiver', () => {
  test('no module of OpenTelemetry is loaded, and the log names the trace of the caller', async () => {
    home = await createHome()
    const file = join(home.directory, 'modules.txt')
    running = await startProcess({
      home,
      environment: { DEMO: 'off', LOG_FORMAT: 'json', NODE_OPTIONS: `--import ${preload}`, LOADED_MODULES: file },
    })
    await get(`${running.issuer}/api/v1/courses`, { traceparent: `00-${trace}-${span}-01` })
    await get(`${running.issuer}/api/v1/courses/nothing`, { traceparent: `00-${trace}-${span}-` })
    await get(`${running.issuer}/api/v1/events`)
    expect(await requestLine(running, '/api/v1/courses')).toMatchObject({ trace_id: trace, span_id: span })
    for (const path of ['/api/v1/courses/nothing', '/api/v1/events'])
      expect(await requestLine(running, path)).not.toHaveProperty('trace_id')
    const modules = (await readFile(file, 'utf8')).split('\n')
    expect(modules.some((url) => url.endsWith('/src/wiring/tracing.ts'))).toBe(true)
    // prom-client loads the interface, which records nothing by itself.
    expect(modules.filter((url) => /@opentelemetry\/(?!api\/)|otlpTracing/.test(url))).toEqual([])
  })
})

describe('with a receiver', () => {
  let receiver: TraceReceiver
  beforeAll(async () => {
    receiver = await startTraceReceiver()
  })
  afterAll(() => receiver.stop())
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
    const service = await start(to({ OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20key,x-other=1' }), { service_name: 'school-eu' })
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
    const service = await start(to())
    await get(`${service.issuer}/api/v1/courses`, { traceparent: `00-${trace}-${span}-00` })
    await get(`${service.issuer}/api/v1/events`, { traceparent: `00-${trace}-${'0'.repeat(16)}-01` })
    const request = await arrived('GET listEvents')
    expect(request.traceId).not.toBe(trace)
    expect(request.parentSpanId).toBeUndefined()
    await service.stop()
    expect(named('GET listCourses')).toEqual([])
    expect((await requestLine(service, '/api/v1/courses')).trace_id).toBe(trace)
  })

  test('the ratio applies to requests without a traceparent, follow_callers to the others', async () => {
    const service = await start(to(), { sample_ratio: 0 })
    await get(`${service.issuer}/api/v1/events`)
    await get(`${service.issuer}/api/v1/courses`, { traceparent: `00-${trace}-${span}-01` })
    await arrived('GET listCourses')
    await service.stop()
    expect(named('GET listEvents')).toEqual([])
    await home.remove()
    receiver.spans.length = 0
    const strict = await start(to(), { sample_ratio: 0, follow_callers: false })
    await get(`${strict.issuer}/api/v1/courses`, { traceparent: `00-${trace}-${span}-01` })
    await strict.stop()
    expect(receiver.spans).toEqual([])
  })

  test('the last spans are sent at the end, and stored responses have spans as well', async () => {
    const service = await start(to())
    await get(`${service.issuer}/llms.txt`)
    await get(`${service.issuer}/llms.txt`)
    await service.stop()
    expect(named('GET document')).toHaveLength(2)
  })

  test.runIf(postgresql && redis)(
    'a sign-in and an API call, over PostgreSQL and Redis: every span is in the trace of its request',
    async () => {
      const database = await throwawayPostgres()
      try {
        const service = await start(
          to({
            DEMO: 'on',
            DATABASE_URL: database.url,
            REDIS_URL: process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379',
          }),
        )
        const agent = await createAgent(service.issuer)
        const tokens = await agent.tokens(personCalled(demoLearner)).catch((error: unknown) => {
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
      } finally {
        await running?.stop()
        await database.drop()
      }
    },
  )
})

describe('with a receiver that does not work', () => {
  const failures = (service: ServiceProcess) =>
    service
      .output()
      .split('\n')
      .filter((line) => line.includes('traces not exported'))

  test('requests are served, one line reports it, and the service stops in time', async () => {
    const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}` })
    for (let count = 0; count < 50; count += 1) expect((await get(`${service.issuer}/api/v1/courses`)).status).toBe(200)
    await until(() => failures(service).length > 0, { what: 'a report of the failed export' })
    for (let count = 0; count < 50; count += 1) expect((await get(`${service.issuer}/api/v1/courses`)).status).toBe(200)
    expect(await service.stop()).toBe(0)
    expect(failures(service)).toHaveLength(1)
  })

  test('a receiver that never responds does not hold up requests or the end of the service', async () => {
    const silent = createServer(() => undefined)
    await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening))
    try {
      const { port } = silent.address() as { port: number }
      const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` })
      for (let count = 0; count < 20; count += 1) expect((await get(`${service.issuer}/api/v1/courses`)).status).toBe(200)
      expect(await service.stop()).toBe(0)
    } finally {
      silent.closeAllConnections()
      await new Promise((closed) => silent.close(closed))
    }
  })
})
