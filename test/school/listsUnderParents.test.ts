import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeDemoSchool } from '../../src/operate/demo/makeDemoSchool.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { allScopes, createAgent, get, personCalled } from '../support/agent.ts'
import { passwordHash, startService, type TestService } from '../support/service.ts'

// Lists under one row of another resource, such as the enrolments of a course, by the resource of their rows.
const lists = [...Map.groupBy(operationsIn(resources), ({ resource }) => resource.name)].flatMap(([name, operations]) => {
  const under = operations.flatMap((one) =>
    one.kind === 'list' && one.parent ? [{ path: one.path, parent: one.parent.resource.name }] : [],
  )
  return under.length > 1 ? [{ name, under }] : []
})

let service: TestService
let headers: Record<string, string>
beforeAll(async () => {
  service = await startService()
  const [entry] = service.app.schools.all
  if (!entry) throw new Error('the service has no school')
  await makeDemoSchool(service.database, { school: entry.school, now: new Date(), hashPassword: async () => passwordHash })
  const agent = await createAgent(service.issuer)
  const { body } = await agent.tokens(personCalled('owner@example.com'), { scope: allScopes }, { scopes: 'all' })
  headers = { authorization: `Bearer ${body.access_token}` }
})
afterAll(() => service?.stop())

const idsAt = async (path: string): Promise<string[]> =>
  ((await get(`${service.issuer}${path}`, headers)).body.data ?? []).map(({ id }: { id: string }) => id)

test.each(lists)('$name under rows of one resource do not depend on lists under rows of another', async ({ under }) => {
  const found = new Map<string, number>()
  for (const { path, parent } of under) {
    const [before = '', after = ''] = path.split(/\{[^}]+\}/)
    for (const id of await idsAt(`/api/v1/${parent}?limit=100`.replace(/_?[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)))
      found.set(path, (found.get(path) ?? 0) + (await idsAt(`${before}${id}${after}?limit=100`)).length)
  }
  expect([...found].filter(([, count]) => count === 0)).toEqual([])
  expect(found.size).toBeGreaterThan(1)
})
