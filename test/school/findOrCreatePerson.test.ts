import { beforeAll, describe, expect, test } from 'vitest'
import { inSchool } from '../../src/database/school/inSchool.ts'
import { findOrCreatePerson } from '../../src/school/students/findOrCreatePerson.ts'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { newSchool } from '../support/rows.ts'

const now = new Date('2026-03-01T00:00:00.000Z')

describe.each(await databasesToTest())('a person is found or made, on $name', ({ open }) => {
  const opened = duringTests(open)
  let schoolId: string
  beforeAll(async () => {
    schoolId = await newSchool(opened.database.sql)
  })

  const ask = (email: string, facet: 'student' | 'member', name?: string) =>
    opened.database.transaction((writer) => findOrCreatePerson(inSchool(writer, schoolId), { email, facet, name, now }))
  const rows = (email: string) =>
    opened.database.sql.query<Record<string, unknown>>('SELECT * FROM person WHERE school_id = $1 AND email = $2', [schoolId, email])

  test('many concurrent requests create a person once, with every requested role', async () => {
    const found = await Promise.all(
      Array.from({ length: 12 }, (_, index) => ask(' Fenn@Example.org ', index % 2 === 0 ? 'student' : 'member', 'Fenn Goldacre')),
    )
    expect(new Set(found.map(({ personId }) => personId)).size).toBe(1)
    expect(found.filter(({ isNew }) => isNew)).toHaveLength(1)
    expect(await rows('fenn@example.org')).toMatchObject([
      { name: 'Fenn Goldacre', is_student: true, is_member: true, joined_at: now, version: 2 },
    ])
  })

  test('existing roles stay, and a repeated request counts no version', async () => {
    const { personId } = await ask('ivy@example.org', 'student')
    await opened.database.sql.query(
      "UPDATE person SET student_status = 'suspended', is_member = true, member_status = 'blocked' WHERE school_id = $1 AND id = $2",
      [schoolId, personId],
    )
    expect(await ask('ivy@example.org', 'student', 'Another Name')).toEqual({ personId, isNew: false })
    expect(await ask('ivy@example.org', 'member')).toEqual({ personId, isNew: false })
    expect(await rows('ivy@example.org')).toMatchObject([
      { name: 'ivy', student_status: 'suspended', member_status: 'blocked', version: 1 },
    ])
  })

  test('a former member is a member again, with the original date of joining', async () => {
    const { personId } = await ask('osric@example.org', 'member')
    const before = new Date('2025-01-01T00:00:00.000Z')
    await opened.database.sql.query("UPDATE person SET member_status = 'left', joined_at = $3 WHERE school_id = $1 AND id = $2", [
      schoolId,
      personId,
      before,
    ])
    await ask('osric@example.org', 'member')
    expect(await rows('osric@example.org')).toMatchObject([{ member_status: 'active', joined_at: before }])
  })

  test('an address that mail cannot be sent to, or that belongs to an erased person, is refused', async () => {
    await expect(ask('no address', 'student')).rejects.toMatchObject({ code: 'validation_failed' })
    const { personId } = await ask('gone@example.org', 'student')
    await opened.database.sql.query('UPDATE person SET erased_at = now() WHERE school_id = $1 AND id = $2', [schoolId, personId])
    await expect(ask('gone@example.org', 'member')).rejects.toMatchObject({ code: 'validation_failed' })
  })
})
