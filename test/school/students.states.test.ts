import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromPublicId, newId } from '../../src/base/ids.ts'
import { databasesToTest } from '../support/databases.ts'
import { newAccount } from '../support/rows.ts'
import { type DemoApi, type Reply, startDemoApi } from './demoApi.ts'

const states = ['invited', 'active', 'suspended', 'erased'] as const
type State = (typeof states)[number]

/** The response of each action in each state: the next state, or the error. */
const table: Record<string, Record<State, State | 'invalid_state'>> = {
  suspend: { invited: 'invalid_state', active: 'suspended', suspended: 'suspended', erased: 'invalid_state' },
  reactivate: { invited: 'invalid_state', active: 'active', suspended: 'active', erased: 'invalid_state' },
  resend_invite: { invited: 'invited', active: 'invited', suspended: 'invalid_state', erased: 'invalid_state' },
  erase: { invited: 'erased', active: 'erased', suspended: 'erased', erased: 'erased' },
  rename: { invited: 'invited', active: 'active', suspended: 'suspended', erased: 'invalid_state' },
}

describe.each(await databasesToTest())('states of a student, on $name', ({ open }) => {
  let api: DemoApi
  beforeAll(async () => {
    api = await startDemoApi(await open())
  })
  afterAll(() => api.stop())

  const as = 'owner@example.com'
  const path = (id: unknown, end = '') => `/api/v1/students/${String(id)}${end}`
  const add = (body: object = {}): Promise<Reply> =>
    api.send('/api/v1/students', { as, body: { email: `${newId()}@example.org`, name: 'Nell Saltmarsh', ...body } })

  async function inState(state: State): Promise<string> {
    const { json } = await add(state === 'invited' ? { send_invite: true } : {})
    if (state === 'suspended') await api.send(path(json.id, '/suspend'), { as, body: { reason: 'A break' } })
    if (state === 'erased') await api.send(path(json.id), { as, method: 'DELETE' })
    // Long enough ago for another letter.
    await api.database.sql.query(
      `UPDATE person SET invited_at = now() - interval '1 hour' WHERE school_id = $1 AND id = $2 AND invited_at IS NOT NULL`,
      [api.school.id, fromPublicId('std', json.id as string)],
    )
    return json.id as string
  }

  async function act(id: string, action: string): Promise<Reply> {
    if (action === 'erase') return await api.send(path(id), { as, method: 'DELETE' })
    if (action === 'rename') return await api.send(path(id), { as, method: 'PATCH', body: { name: 'Nell Saltmarsh-Bell' } })
    return await api.send(path(id, `/${action}`), { as, body: {} })
  }

  test('every action in every state leads where the table says, and is refused where it says so', async () => {
    for (const [action, outcomes] of Object.entries(table)) {
      for (const state of states) {
        const id = await inState(state)
        const reply = await act(id, action)
        const after = (await api.get(path(id), { as })).json.status
        const expected = outcomes[state]
        const isRefused = expected === 'invalid_state'
        expect([action, state, reply.json.error ?? reply.status < 300, after]).toEqual([
          action,
          state,
          isRefused ? 'invalid_state' : true,
          isRefused ? state : expected,
        ])
      }
    }
  })

  test('why somebody is suspended is for the staff, and gone when they are back', async () => {
    const id = await inState('suspended')
    expect((await api.get(path(id), { as })).json.status_reason).toBe('A break')
    expect((await act(id, 'reactivate')).json).toMatchObject({ status: 'active', status_reason: null })
  })

  test('one letter goes out for an invitation, and no second one a moment later', async () => {
    const { json } = await add({ send_invite: true })
    expect(json).toMatchObject({ status: 'invited', has_account: false })
    expect((await act(json.id as string, 'resend_invite')).status).toBe(200)
    const emails = async () => (await api.messages()).filter(({ to }) => to === json.email)
    expect(await emails()).toEqual([{ to: json.email, kind: 'person_invited', links: { link: `${api.school.issuer}/account/sign-up` } }])
    await api.database.sql.query(`UPDATE person SET invited_at = now() - interval '1 hour' WHERE school_id = $1 AND id = $2`, [
      api.school.id,
      fromPublicId('std', json.id as string),
    ])
    await act(json.id as string, 'resend_invite')
    expect(await emails()).toHaveLength(2)
  })

  test('a person with a login cannot be invited', async () => {
    const accountId = await newAccount(api.database.sql, api.school.id)
    const { json } = await add()
    await api.database.sql.query('UPDATE person SET account_id = $3 WHERE school_id = $1 AND id = $2', [
      api.school.id,
      fromPublicId('std', json.id as string),
      accountId,
    ])
    expect((await act(json.id as string, 'resend_invite')).json.error).toBe('invalid_state')
  })

  test('a bulk request creates or updates each row by its key or e-mail address, and an invalid row stops no other', async () => {
    const bulk = (body: object, headers = {}) => api.send('/api/v1/students/bulk', { as, body, headers })
    const email = `${newId()}@example.org`
    const key = `erp-${newId()}`
    const first = await bulk({
      items: [
        { email, name: 'Bram Oakhanger', external_id: key, tags: ['wheel'] },
        { email: 'nowhere', name: 'x', no_such: 1 },
        { email: email.toUpperCase(), name: 'Bram Again' },
      ],
    })
    expect(first).toMatchObject({ status: 207, json: { summary: { total: 3, succeeded: 1, failed: 2 } } })
    const results = first.json.results as { status: number; id?: string; error?: { error: string; details: { field: string }[] } }[]
    expect(results.map(({ status }) => status)).toEqual([201, 422, 409])
    expect(results[1]?.error?.details.map(({ field }) => field).toSorted()).toEqual(['email', 'no_such'])
    const id = results[0]?.id as string
    const second = await bulk({
      mode: 'upsert',
      items: [
        { external_id: key, name: 'Bram O.' },
        { email, note: 'Known' },
      ],
    })
    expect(second.json.results).toMatchObject([
      { status: 200, id },
      { status: 200, id },
    ])
    expect((await api.get(path(id), { as })).json).toMatchObject({ name: 'Bram O.', note: 'Known', tags: ['wheel'], email })
    // Known as a member alone: a student as well from now on.
    const member = await bulk({ mode: 'upsert', items: [{ email: 'learner014@example.org', tags: ['new'] }] })
    expect(member.json.results).toMatchObject([{ status: 200 }])
    const audited = await api.database.sql.query<{ ids: string[] }>(
      `SELECT details #> '{resource,ids}' AS ids FROM audit_log WHERE school_id = $1 AND event = 'student.bulk' ORDER BY id`,
      [api.school.id],
    )
    // The second request named one student twice.
    expect(audited.map(({ ids }) => ids.length)).toEqual([1, 1, 1])
  })

  test('all or nothing is nothing where one is wrong, and then no letter goes out', async () => {
    const [good, bad] = [`${newId()}@example.org`, 'nowhere']
    const before = (await api.messages()).length
    const reply = await api.send('/api/v1/students/bulk', {
      as,
      body: {
        atomic: true,
        items: [
          { email: good, name: 'Ivy Underhill', send_invite: true },
          { email: bad, name: 'Ivy' },
        ],
      },
    })
    expect(reply).toMatchObject({ status: 422, json: { details: [{ field: 'items.1.email' }] } })
    expect((await api.get(`/api/v1/students?email=${good}`, { as })).json.data).toEqual([])
    expect((await api.messages()).length).toBe(before)
  })
})
