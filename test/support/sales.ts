import { refreshSchool } from '../../src/school/analytics/rollups/refreshSchool.ts'
import { type Answer, allScopes, answer, createAgent, personCalled } from './agent.ts'
import { type Platform, startPlatform } from './platform.ts'
import { type ServiceOptions, startService, type TestService } from './service.ts'

const owner = 'owner@example.com'

/** A school that sells: the service, its platform intake, and its API with the tokens of people. */
export interface SalesService {
  service: TestService
  platform: Platform
  schoolId: string
  /** Calls the API as the owner, or as another person with an account. `null`: without a token. */
  call(method: string, path: string, body?: object, options?: { as?: string | null; headers?: Record<string, string> }): Promise<Answer>
  /** Computes the figures up to now. */
  refresh(): Promise<void>
  stop(): Promise<void>
}

export async function startSales(options: ServiceOptions = {}): Promise<SalesService> {
  const service = await startService(options)
  const platform = await startPlatform(service)
  const schoolId = service.schoolId()
  await service.addPerson({ email: owner, role: 'owner' })
  const agent = await createAgent(service.issuer)
  const tokens = new Map<string, Promise<string>>()
  const tokenOf = (email: string): Promise<string> => {
    const known =
      tokens.get(email) ?? agent.tokens(personCalled(email), { scope: allScopes }, { scopes: 'all' }).then(({ body }) => body.access_token)
    tokens.set(email, known)
    return known
  }
  return {
    service,
    platform,
    schoolId,
    async call(method, path, body, { as = owner, headers = {} } = {}) {
      const authorization = as === null ? {} : { authorization: `Bearer ${await tokenOf(as)}` }
      return await answer(
        fetch(`${service.issuer}/api/v1${path}`, {
          method,
          headers: { ...authorization, ...(body && { 'content-type': 'application/json' }), ...headers },
          ...(body && { body: JSON.stringify(body) }),
        }),
      )
    },
    async refresh() {
      await refreshSchool(service.database, { schoolId, now: new Date() })
    },
    async stop() {
      await platform.stop()
      await service.stop()
    },
  }
}
