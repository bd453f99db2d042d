import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { addPersonTo } from '../../support/addPersonTo.ts'
import { agentOf, createAgent, get, personCalled, withToken } from '../../support/agent.ts'
import { availableServices, redisUrl, throwawayPostgres } from '../../support/databases.ts'
import { until } from '../../support/poll.ts'
import { createHome, type Home, memoryOf, type ServiceProcess, startProcess } from '../../support/process.ts'

const { postgresql, redis } = await availableServices()

describe('a process with the embedded database', () => {
  let home: Home
  let service: ServiceProcess
  beforeAll(async () => {
    home = await createHome()
    service = await startProcess({ home, isFirstStart: true })
  })
  afterAll(async () => {
    await service.stop()
    await home.remove()
  })

  test('needs less than 500 MB for its first start', async () => {
    expect(await memoryOf(service.child.pid as number, 'VmHWM')).toBeLessThan(500)
  })

  const change = async (edit: (school: Record<string, unknown>) => void): Promise<void> => {
    const file = join(home.config, 'schools/demo.yaml')
    const school = parse(await readFile(file, 'utf8'))
    edit(school)
    await writeFile(file, stringify(school))
    process.kill(service.child.pid as number, 'SIGHUP')
  }

  test('SIGHUP activates a new integration, and sessions remain', async () => {
    const agent = await createAgent(service.issuer)
    const person = personCalled('learner001@example.org')
    const { body: tokens } = await agent.tokens(person)
    const client = agentOf(service.issuer, 'reports', undefined, 'https://reports.example.com/callback')
    expect((await get(client.authorizationUrl().href)).status).toBe(400)
    await change((school) => {
      school.integrations = [
        {
          client_id: 'reports',
          client_name: 'Reports',
          redirect_uris: ['https://reports.example.com/callback'],
          token_endpoint_auth_method: 'none',
        },
      ]
    })
    await until(async () => (await get(client.authorizationUrl().href)).status === 303, { what: 'the integration to be live' })
    const page = await person.open(client.authorizationUrl().href)
    expect(page.html).not.toContain('type="password"')
    expect((await withToken(`${service.issuer}/api/v1/account`, tokens.access_token)).status).toBe(200)
    expect((await agent.refresh(tokens.refresh_token)).status).toBe(200)
  })

  test('SIGHUP with an invalid file keeps the configuration and logs the error', async () => {
    await change((school) => {
      school.integratons = []
    })
    await until(() => service.output().includes('integratons'), { what: 'the error to be logged' })
    expect(service.output()).toContain('configuration reload failed')
    const client = agentOf(service.issuer, 'reports', undefined, 'https://reports.example.com/callback')
    expect((await get(client.authorizationUrl().href)).status).toBe(303)
  })
})

test('a start with configuration errors lists all of them and opens no port', async () => {
  const home = await createHome({ oauth: { refresh_windows: 1, lifetimes: { grant_days: 'long' } } })
  try {
    const failure = await startProcess({ home, isFirstStart: true, environment: { LOG_LEVEL: 'loud' } }).catch((error) => String(error))
    expect(failure).toContain('LOG_LEVEL')
    const second = await startProcess({ home, isFirstStart: true }).catch((error) => String(error))
    expect(second).toContain('oauth.yaml:1  refresh_windows')
    expect(second).toContain('oauth.yaml:3  lifetimes.grant_days')
    expect(second).toContain('ended with 1')
  } finally {
    await home.remove()
  }
})

describe.runIf(postgresql && redis)('with WORKERS', () => {
  test('several processes share the port and the stores, and one signal ends them all', async () => {
    const { url, drop } = await throwawayPostgres()
    const home = await createHome()
    try {
      const service = await startProcess({
        home,
        environment: { DATABASE_URL: url, REDIS_URL: redisUrl, WORKERS: '2', DEMO: 'off' },
      })
      const agent = await createAgent(service.issuer)
      await addPersonTo(url, { email: 'learner@example.org' })
      const { body } = await agent.tokens(personCalled('learner@example.org'))
      const answers = await Promise.all(Array.from({ length: 30 }, () => withToken(`${service.issuer}/api/v1/account`, body.access_token)))
      expect(answers.every(({ status }) => status === 200)).toBe(true)
      const figure = async (series: string): Promise<number> => {
        const line = (await (await fetch(`${service.admin}/metrics`)).text()).split('\n').find((one) => one.startsWith(`${series} `))
        return Number(line?.split(' ').at(-1))
      }
      const successes = 'schoolgate_requests_total{operation="getAccount",outcome="success"}'
      await until(async () => (await figure('schoolgate_workers')) === 2, { what: 'both workers to report' })
      await until(async () => (await figure(successes)) === 30, { what: 'both workers to report their requests' })
      // Whichever worker responds, the values are those of both.
      for (const _scrape of [1, 2, 3, 4]) expect(await figure(successes)).toBe(30)
      const children = await readFile(`/proc/${service.child.pid}/task/${service.child.pid}/children`, 'utf8')
      process.kill(Number(children.trim().split(' ').at(-1)), 'SIGKILL')
      await until(async () => (await figure('schoolgate_workers')) === 1, { what: 'the worker to be gone' })
      expect(await figure(successes)).toBe(30)
      await until(async () => (await figure('schoolgate_workers')) === 2, { what: 'the worker to be replaced' })
      expect(await figure(successes)).toBe(30)
      expect(await service.stop()).toBe(0)
      await expect(fetch(service.issuer)).rejects.toThrow()
    } finally {
      await drop()
      await home.remove()
    }
  })
})
