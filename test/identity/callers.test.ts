import { beforeAll, describe, expect, test } from 'vitest'
import { audienceOf, callerFrom } from '../../src/base/caller.ts'
import { newId } from '../../src/base/ids.ts'
import { inSchool } from '../../src/database/school/inSchool.ts'
import { findPerson } from '../../src/identity/accounts/findPerson.ts'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { newAccount, newSchool } from '../support/rows.ts'

describe.each(await databasesToTest())('the person behind an account, on $name', ({ open }) => {
  const opened = duringTests(open)
  let schoolId: string
  beforeAll(async () => {
    schoolId = await newSchool(opened.database.sql)
  })

  async function person(role?: string, status = 'active'): Promise<{ accountId: string; personId: string }> {
    const { sql } = opened.database
    const accountId = await newAccount(sql, schoolId)
    const personId = newId()
    await sql.query('INSERT INTO person (school_id, id, account_id, email, name) VALUES ($1, $2, $3, $4, $5)', [
      schoolId,
      personId,
      accountId,
      `${personId}@example.org`,
      'Wren',
    ])
    if (role)
      await sql.query('INSERT INTO staff (school_id, id, person_id, role, status) VALUES ($1, $2, $3, $4, $5)', [
        schoolId,
        newId(),
        personId,
        role,
        status,
      ])
    return { accountId, personId }
  }
  const find = (accountId: string, school = schoolId) => findPerson(inSchool(opened.database.kysely, school), accountId)

  test('has the role of an active staff row, and is a learner without one', async () => {
    for (const [role, status, expected] of [
      ['owner', 'active', 'owner'],
      ['admin', 'active', 'admin'],
      ['lecturer', 'active', 'lecturer'],
      ['admin', 'invited', 'learner'],
      ['owner', 'removed', 'learner'],
      [undefined, 'active', 'learner'],
    ] as const) {
      const { accountId, personId } = await person(role, status)
      expect(await find(accountId)).toEqual({ accountId, personId, role: expected, lecturerId: null })
    }
  })

  test('is a learner without a person as well', async () => {
    const accountId = await newAccount(opened.database.sql, schoolId)
    expect(await find(accountId)).toEqual({ accountId, personId: null, role: 'learner', lecturerId: null })
  })

  test('does not exist once the account is disabled, deleted or its day of deletion has come', async () => {
    const { accountId } = await person('owner')
    const set = (column: 'disabled_at' | 'deletion_scheduled_at', seconds: number) =>
      opened.database.sql.query(`UPDATE account SET ${column} = now() + make_interval(secs => $3) WHERE school_id = $1 AND id = $2`, [
        schoolId,
        accountId,
        seconds,
      ])
    await set('deletion_scheduled_at', 86_400)
    expect(await find(accountId)).toBeDefined()
    await set('deletion_scheduled_at', -1)
    expect(await find(accountId)).toBeUndefined()
    await set('deletion_scheduled_at', 86_400)
    await set('disabled_at', -1)
    expect(await find(accountId)).toBeUndefined()
    expect(await find(newId())).toBeUndefined()
  })

  test('does not exist in another school', async () => {
    const { accountId } = await person('owner')
    expect(await find(accountId, await newSchool(opened.database.sql))).toBeUndefined()
  })
})

test('a caller has the scopes of the token that the role can grant, and no others', () => {
  const caller = callerFrom(
    { accountId: 'a', personId: 'p', lecturerId: null, role: 'learner' },
    { scopes: ['courses:read', 'courses:write'], clientId: 'c', grantId: 'g' },
    new Set(['courses:read', 'school:read']),
  )
  expect([...caller.scopes]).toEqual(['courses:read'])
  expect([...(caller.withheldScopes ?? [])]).toEqual(['courses:write'])
  expect(audienceOf(caller)).toBe('learner')
})
