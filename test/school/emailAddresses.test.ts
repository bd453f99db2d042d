import { describe, expect, test } from 'vitest'
import { newId } from '../../src/base/ids.ts'
import { newForm, newSubmission } from '../support/community.ts'
import { openTestDatabase } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { type Reply, startDemoApi } from './demoApi.ts'

const as = 'owner@example.com'

describe('an e-mail address that a caller types', () => {
  const api = duringTests(async () => startDemoApi(await openTestDatabase()))

  const send = (path: string, body: object): Promise<Reply> => api.send(`/api/v1${path}`, { as, body, method: 'POST' })
  const idsOf = async (path: string): Promise<unknown[]> =>
    ((await api.get(`/api/v1${path}`, { as })).json.data as { id: string }[]).map(({ id }) => id)
  const spellings = (email: string): string[] => [
    email,
    email.toUpperCase(),
    `  ${email}\n`,
    `\u00a0${email}\u3000`,
    `\u2003${email}\ufeff`,
  ]

  for (const [collection, name] of [
    ['students', 'name'],
    ['members', 'display_name'],
  ] as const) {
    test(`is stored and found in one spelling: ${collection}`, async () => {
      const email = `wren-${newId()}@example.org`
      const made = await send(`/${collection}`, { email: `\u3000${email.toUpperCase()} `, [name]: 'Wren Applegarth' })
      expect(made).toMatchObject({ status: 201, json: { email } })
      for (const typed of spellings(email)) {
        expect(await send(`/${collection}`, { email: typed, [name]: 'Another' })).toMatchObject({
          status: 409,
          json: { error: 'email_taken' },
        })
      }
      if (collection === 'members') return
      for (const typed of spellings(email)) expect(await idsOf(`/students?email=${encodeURIComponent(typed)}`)).toEqual([made.json.id])
      for (const typed of [email.slice(0, 40), ` ${email.slice(0, 40).toUpperCase()}`]) {
        expect(await idsOf(`/students?email[prefix]=${encodeURIComponent(typed)}`)).toEqual([made.json.id])
      }
    })
  }

  test('names the same student in an enrolment, whatever its spelling', async () => {
    const email = `sorrel-${newId()}@example.org`
    const { json: student } = await send('/students', { email, name: 'Sorrel Fenwick' })
    const [course] = (await api.get('/api/v1/courses?status=published&limit=1', { as })).json.data as { id: string }[]
    const enrolled = await send('/enrollments', { course_id: course?.id, student_email: `\u00a0${email.toUpperCase()} ` })
    expect(enrolled).toMatchObject({ status: 201, json: { student_id: student.id } })
  })

  test('invites to the staff by one spelling, and a person who works here is found by every other', async () => {
    const email = `bracken-${newId()}@example.org`
    expect(await send('/school/staff', { email: ` ${email.toUpperCase()}`, role: 'lecturer' })).toMatchObject({ status: 201 })
    for (const typed of spellings(email))
      expect((await send('/school/staff', { email: typed, role: 'lecturer' })).json.error).toBe('email_taken')
  })

  test('filters form submissions in every spelling', async () => {
    const { sql } = api.database
    const email = `tansy-${newId()}@example.org`
    const form = await newForm(sql, api.school.id, { slug: 'ask-us' })
    await newSubmission(sql, api.school.id, form, { email })
    for (const typed of spellings(email)) expect(await idsOf(`/form_submissions?email=${encodeURIComponent(typed)}`)).toHaveLength(1)
    expect(await idsOf('/form_submissions?email=nobody@example.org')).toEqual([])
  })
})
