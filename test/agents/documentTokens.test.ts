import { beforeAll, describe, expect, test } from 'vitest'
import { type DocumentBudget, documentBudgets, estimateTokens } from '../../scripts/documentTokens.ts'
import { makeDemoSchool } from '../../src/operate/demo/makeDemoSchool.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { duringTests } from '../support/duringTests.ts'
import { startService } from '../support/service.ts'

const service = duringTests(() => startService())
beforeAll(async () => {
  const [entry] = service.app.schools.all
  if (!entry) throw new Error('the service has no school')
  const { school } = entry
  await makeDemoSchool(service.database, { school, now: new Date(), hashPassword: async () => 'no password', only: 'catalogue' })
})

const resourceNames = [...new Set(operationsIn(resources).map(({ resource }) => resource.name))]
const pathsOf = ({ path }: DocumentBudget): string[] =>
  path.includes('{resource}') ? resourceNames.map((name) => path.replace('{resource}', name)) : [path]

test('/auth.md has at most 16 kB: some readers of pages cut the rest off', async () => {
  expect((await (await fetch(`${service.issuer}/auth.md`)).bytes()).byteLength).toBeLessThanOrEqual(16_000)
})

describe.each(documentBudgets)('$path', (budget) => {
  const { maxTokens, accept = '*/*' } = budget
  test(`costs at most ${maxTokens} tokens`, async () => {
    for (const path of pathsOf(budget)) {
      const response = await fetch(service.issuer + path, { headers: { accept } })
      expect([path, response.status]).toEqual([path, 200])
      const tokens = estimateTokens(await response.text())
      process.stdout.write(`${String(tokens).padStart(7)} of ${maxTokens} tokens: ${path}\n`)
      expect(tokens).toBeLessThanOrEqual(maxTokens)
    }
  })
})
