import { describe, expect, test } from 'vitest'
import { defineArea } from '../../src/engine/declare/area.ts'
import { scopesOf } from '../../src/engine/declare/scopeCatalogue.ts'
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
