import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { defineArea, scopesOf } from '../../src/engine/declare/area.ts'
import { readers, risks } from '../../src/engine/declare/permissionSentences.ts'
import { withRisks } from '../../src/engine/declare/scopeRisks.ts'
import { grantableScopes, usableScopes } from '../../src/identity/apps/grantable.ts'
import { operationsIn, resources, scopeCatalogue } from '../../src/school/index.ts'

const published = `openid profile email courses:read courses:write students:read students:write members:read members:write analytics:read
curriculum:read curriculum:write orders:read school:read school:write appearance:read appearance:write events:read events:write
membership_plans:read membership_plans:write coupons:read coupons:write posts:read posts:write subscriptions:read subscriptions:write
digital_products:read digital_products:write comments:read lecturers:read lecturers:write storage:write forms:read pages:read pages:write
account:read account:write`.split(/\s+/)

const catalogue = scopeCatalogue(resources)

describe('the scope catalogue', () => {
  test('is the published scopes in their order', () => {
    expect(catalogue.map(({ name }) => name)).toEqual(published)
  })

  test('has a sentence for each scope that says what it allows', () => {
    expect(new Set(catalogue.map(({ sentence }) => sentence)).size).toBe(published.length)
    for (const { sentence, areaTitle } of catalogue) {
      expect(sentence).toMatch(/^[A-Z][a-z].{8,}[^.]$/)
      expect(areaTitle).toMatch(/^[A-Z]/)
    }
  })

  test('holds the scope of every operation', () => {
    for (const { scope } of operationsIn(resources)) expect(published).toContain(scope)
  })

  test('refuses two declarations of one area', () => {
    expect(() => scopesOf([defineArea('posts', { read: 'See posts' }), defineArea('posts', { read: 'See posts' })])).toThrow(
      'declared twice',
    )
  })
})

describe('grantable scopes of a role', () => {
  const usable = usableScopes(catalogue)

  test('grow from learner to lecturer to admin, who can grant everything, like the owner', () => {
    expect(new Set(usable.learner).isSubsetOf(new Set(usable.lecturer))).toBe(true)
    expect(new Set(usable.lecturer).isSubsetOf(new Set(usable.admin))).toBe(true)
    expect(usable.admin).toEqual(published)
    expect(usable.owner).toEqual(published)
  })

  test('leaves a learner without power over the school', () => {
    const without = published.filter((name) => !usable.learner.includes(name))
    expect(without).toEqual([
      'courses:write',
      'analytics:read',
      'curriculum:write',
      'school:write',
      'appearance:write',
      'membership_plans:write',
      'posts:write',
      'digital_products:write',
      'lecturers:write',
      'pages:write',
    ])
  })

  test('leaves a lecturer without power over the school as a whole', () => {
    const without = published.filter((name) => !usable.lecturer.includes(name))
    expect(without).toEqual(['school:write', 'appearance:write', 'membership_plans:write', 'digital_products:write', 'pages:write'])
  })

  test("is what the operator's table says", () => {
    const grantable = grantableScopes(
      () => ({ ...usable, learner: ['openid'] }),
      () => false,
    )
    expect([...grantable('learner', undefined)]).toEqual(['openid'])
  })
})

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
