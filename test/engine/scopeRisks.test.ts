import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readers } from '../../src/engine/declare/permissionSentences.ts'
import { risks } from '../../src/engine/declare/scopeRisk.ts'
import { withRisks } from '../../src/engine/declare/scopeRisks.ts'
import { operationsIn, resources, scopeCatalogue } from '../../src/school/index.ts'

const operations = operationsIn(resources)
const scopes = withRisks(scopeCatalogue(resources), operations)
const marked = (reader: (typeof readers)[number]): Record<string, string[]> =>
  Object.fromEntries(
    scopes
      .map((scope) => [scope.name, risks.filter((risk) => scope.risks[risk].includes(reader))] as const)
      .filter(([, found]) => found.length > 0),
  )

test('the consent page marks for a learner what costs money, deletes, or takes over the account', () => {
  expect(marked('learner')).toMatchInlineSnapshot(`
    {
      "account:write": [
        "takes_over",
        "deletes",
      ],
      "storage:write": [
        "deletes",
      ],
      "subscriptions:write": [
        "costs",
      ],
    }
  `)
})

test('each scope with an operation that deletes is marked for the roles that can call it, and no reading scope is', () => {
  for (const { method, scope, roles } of operations.filter((one) => one.method === 'DELETE')) {
    const deletes: readonly string[] = scopes.find(({ name }) => name === scope)?.risks.deletes ?? []
    expect([method, scope, readers.filter((reader) => roles.includes(reader) && !deletes.includes(reader))]).toEqual([method, scope, []])
  }
  for (const reader of readers) expect(Object.keys(marked(reader)).filter((name) => name.endsWith(':read'))).toEqual([])
})

test('each operation that makes a new address of the account the one to sign in with declares that it can take the account over', () => {
  const rows = readFileSync(new URL('../../docs/resources/account.md', import.meta.url), 'utf8').split('\n')
  const changing = rows.filter((row) => row.includes('`email_change_known`')).map((row) => /^\| `(\w+)`/.exec(row)?.[1])
  const declared = operations.filter((one) => 'rules' in one && 'risk' in one.rules && one.rules.risk === 'takes_over').map(({ id }) => id)
  expect(changing).toContain('changeEmail')
  expect(declared.toSorted()).toEqual(changing.toSorted())
})

test('a scope that can cost a learner money is marked, and its sentence says so', () => {
  for (const { name, sentences, risks: found } of scopes)
    expect([name, found.costs.includes('learner')]).toEqual([name, /cost you money/.test(sentences.learner ?? '')])
})
