import { expect, test } from 'vitest'
import { fromPublicId, newId, toPublicId } from '../../src/base/ids.ts'
import { demoId } from '../../src/operate/demo/ids.ts'
import { newAccount } from '../support/rows.ts'
import { type Reply, type SendOptions, teamCount } from './demoApi.ts'
import { describeDemo } from './describeDemo.ts'

const owner = 'owner@example.com'
const learner = 'learner001@example.org'
const lecturer = 'lecturer1@example.com'

describeDemo('students, on $name', (api) => {
  const call = (path: string, options: SendOptions = {}): Promise<Reply> =>
    api.send(`/api/v1/students${path}`, { method: 'GET', as: owner, ...options })
  const add = (body: object = {}): Promise<Reply> =>
    call('', { method: 'POST', body: { email: `${newId()}@example.org`, name: 'Mabel Thistledown', ...body } })
  const change = (id: unknown, body: object, as = owner): Promise<Reply> => call(`/${String(id)}`, { method: 'PATCH', as, body })
  const rowsOf = ({ json }: Reply) => json.data as Record<string, unknown>[]
  const idOf = (index: number) => toPublicId('std', demoId(api.school.id, 'person', teamCount + index))

  /** Puts a demo learner into the first course of the first lecturer. */
  async function enrol(index: number, status = 'active'): Promise<void> {
    await api.database.sql.query(
      `INSERT INTO enrollment (school_id, id, person_id, course_id, status, source)
       SELECT $1, $2, $3, course_id, $4, 'manual' FROM course_lecturer
         JOIN lecturer ON lecturer.school_id = $1 AND lecturer.id = course_lecturer.lecturer_id
         JOIN staff ON staff.school_id = $1 AND staff.lecturer_id = lecturer.id
         JOIN person ON person.school_id = $1 AND person.id = staff.person_id
        WHERE course_lecturer.school_id = $1 AND person.email = $5 LIMIT 1
       ON CONFLICT (school_id, course_id, person_id) DO UPDATE SET status = excluded.status`,
      [api.school.id, newId(), demoId(api.school.id, 'person', teamCount + index), status, lecturer],
    )
  }

  test('a learner finds only themselves, by id and as me', async () => {
    expect(rowsOf(await call('', { as: learner })).map(({ id }) => id)).toEqual([idOf(0)])
    const [own, me] = await Promise.all([call(`/${idOf(0)}`, { as: learner }), call('/me', { as: learner })])
    expect(me.text).toBe(own.text)
    expect(me.json).toMatchObject({ id: idOf(0), object: 'student', email: learner, has_account: true })
    expect(Object.keys(me.json)).not.toEqual(expect.arrayContaining(['note']))
    for (const field of ['note', 'tags', 'lifetime_spend', 'custom_fields', 'metadata', 'external_id'])
      expect(me.json).not.toHaveProperty(field)
    expect((await call(`/${idOf(1)}`, { as: learner })).status).toBe(404)
  })

  test('me does not exist for staff who do not learn here, nor under other ids', async () => {
    expect(await call('/me')).toMatchObject({ status: 404, json: { error: 'not_found' } })
    expect(await call('/Me')).toMatchObject({ status: 400, json: { error: 'invalid_id' } })
    expect((await call(`/${idOf(0).replace('std_', 'mbr_')}`)).json.error).toBe('invalid_id')
  })

  test('a person who is only a member is not a student, for every caller', async () => {
    expect((await call(`/${idOf(6)}`)).status).toBe(404)
    expect((await call('?email=learner007@example.org')).json.data).toEqual([])
  })

  test('lecturers see who learns from them, without note, spend and number, and change nothing of them', async () => {
    expect((await call(`/${idOf(2)}`, { as: lecturer })).status).toBe(404)
    await enrol(2)
    await change(idOf(2), { note: 'Pays late', phone: '+4930123456', tags: ['late'] })
    const seen = await call(`/${idOf(2)}`, { as: lecturer })
    expect(seen.json).toMatchObject({ id: idOf(2), email: 'learner003@example.org' })
    for (const field of ['note', 'lifetime_spend', 'phone', 'country', 'marketing_consent', 'tags'])
      expect(seen.json).not.toHaveProperty(field)
    expect(seen.text).not.toMatch(/Pays late|4930123456|"late"/)
    expect((await change(idOf(2), { name: 'Other' }, lecturer)).json.error).toBe('access_denied')
    for (const query of ['tag=late', 'external_id=x'])
      expect((await call(`?${query}`, { as: lecturer })).json.error).toBe('invalid_parameter')
    await enrol(2, 'canceled')
    expect((await call(`/${idOf(2)}`, { as: lecturer })).status).toBe(404)
  })

  test('a learner changes what is theirs, and nothing that the school decides', async () => {
    await change('me', { marketing_consent: { granted: false } }, learner)
    const changed = await change(
      'me',
      { country: 'DE', phone: '+4930123456', time_zone: 'Europe/Berlin', marketing_consent: { granted: true } },
      learner,
    )
    expect(changed).toMatchObject({ status: 200, json: { id: idOf(0), country: 'DE', marketing_consent: { granted: true } } })
    const { at } = changed.json.marketing_consent as { at: string }
    expect(Math.abs(Date.parse(at) - Date.now())).toBeLessThan(60_000)
    expect((await change('me', { marketing_consent: { granted: false, at: '2020-01-01T00:00:00Z' } }, learner)).json.error).toBe(
      'read_only_field',
    )
    for (const body of [{ email: 'x@example.org' }, { status: 'active' }]) {
      expect((await change('me', body, learner)).json.error).toBe('read_only_field')
    }
    for (const body of [{ note: 'x' }, { tags: ['vip'] }, { metadata: {} }]) {
      expect((await change('me', body, learner)).json.error).toBe('unknown_field')
    }
    for (const body of [
      { country: 'ZZ' },
      { country: 'deu' },
      { phone: '030 123' },
      { time_zone: 'Mars/Base' },
      { locale: '!' },
      { name: '  ' },
    ]) {
      expect([body, (await change('me', body, learner)).status]).toEqual([body, 422])
    }
    const typed = await change('me', { country: 'at', phone: '0043 (1) 234\u2011567' }, learner)
    expect([typed.status, typed.json]).toMatchObject([200, { country: 'AT', phone: '+431234567' }])
  })

  test('words about a student are a set, and found', async () => {
    const { json } = await add({ tags: ['wheel', 'evening', 'wheel'] })
    expect(json.tags).toEqual(['evening', 'wheel'])
    expect(rowsOf(await call('?tag=evening')).map(({ id }) => id)).toContain(json.id)
    const [one, two] = await Promise.all([change(json.id, { tags: ['wheel', 'glaze'] }), change(json.id, { note: 'n' })])
    expect([one.status, two.status]).toEqual([200, 200])
    expect((await call(`/${String(json.id)}`)).json.tags).toEqual(['glaze', 'wheel'])
    expect((await change(json.id, { tags: [] })).json.tags).toEqual([])
    expect((await change(json.id, { tags: [''] })).status).toBe(422)
  })

  test('an address belongs to one person, in capitals or not', async () => {
    const email = `Posy-${newId()}@Example.org`
    const made = await add({ email })
    expect(made).toMatchObject({ status: 201, json: { email: email.toLowerCase(), status: 'active', has_account: false } })
    expect(await add({ email: email.toUpperCase() })).toMatchObject({
      status: 409,
      json: { error: 'email_taken', details: [{ field: 'email', meta: { existing_id: made.json.id } }] },
    })
    expect((await add({ email: learner })).json.error).toBe('email_taken')
    expect((await change(made.json.id, { email: learner })).json.error).toBe('email_taken')
    expect(rowsOf(await call(`?email=${email}`)).map(({ id }) => id)).toEqual([made.json.id])
    expect(rowsOf(await call(`?email[prefix]=${email.toLowerCase().slice(0, 30)}`)).map(({ id }) => id)).toEqual([made.json.id])
    const raced = await Promise.all(Array.from({ length: 5 }, () => add({ email: 'raced@example.org' })))
    expect(raced.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409])
    expect((await add({ email: 'no address' })).status).toBe(422)
  })

  test('other people cannot change the address that a person signs in with', async () => {
    expect(await change(idOf(0), { email: 'thief@example.org' })).toMatchObject({
      status: 422,
      json: { details: [{ field: 'email', code: 'not_allowed' }] },
    })
    const { json } = await add()
    const other = `${newId()}@example.org`
    expect((await change(json.id, { email: other })).json.email).toBe(other)
  })

  test('admins do not touch who the owners are as students', async () => {
    await api.database.sql.query(`UPDATE person SET is_student = true WHERE school_id = $1 AND email = $2`, [api.school.id, owner])
    const me = (await call('/me')).json
    expect((await change(me.id, { name: 'Renamed' }, 'admin1@example.com')).json.error).toBe('access_denied')
    expect((await change('me', { name: 'Hazel Lanternfield II' })).status).toBe(200)
    await api.database.sql.query(`UPDATE person SET is_student = false WHERE school_id = $1 AND email = $2`, [api.school.id, owner])
  })

  test('q finds by name and address, a state by its name, and the list goes out as a file', async () => {
    expect(rowsOf(await call('?q=applegarth')).map(({ id }) => id)).toEqual([idOf(0)])
    expect(rowsOf(await call('?q=LEARNER002')).map(({ id }) => id)).toEqual([idOf(1)])
    expect((await call('?status=erased')).json.data).toEqual([])
    expect((await call('?status=blocked')).json.error).toBe('invalid_parameter')
    const file = await call('?limit=3', { headers: { accept: 'text/csv' } })
    expect(file.text.split('\r\n')[0]).toContain('lifetime_spend.amount')
    expect((await call('', { as: lecturer, headers: { accept: 'text/csv' } })).status).toBe(406)
  })

  test('an export is everything of one person, for themselves and the staff, and nothing of anybody else', async () => {
    await enrol(0)
    await enrol(1)
    const own = await call('/me/export', { as: learner })
    expect(own).toMatchObject({
      status: 200,
      json: {
        object: 'student_export',
        student: { id: idOf(0), email: learner },
        member: { id: idOf(0).replace('std', 'mbr') },
        truncated: [],
      },
    })
    expect(own.json.enrollments).toHaveLength(
      Number(
        (
          await api.database.sql.query<{ n: string }>('SELECT count(*) AS n FROM enrollment WHERE school_id = $1 AND person_id = $2', [
            api.school.id,
            demoId(api.school.id, 'person', teamCount),
          ])
        )[0]?.n,
      ),
    )
    expect(own.json.student).not.toHaveProperty('note')
    expect(own.text).not.toMatch(/learner(?!001)\d{3}@|password|argon2/)
    const beside = await call('/me?expand=enrollments&fields=name', { as: learner })
    expect((beside.json.enrollments as { data: object[] }).data.length).toBe(Math.min(20, (own.json.enrollments as object[]).length))
    const staff = await call(`/${idOf(0)}/export`)
    expect(staff.json.student).toHaveProperty('note')
    expect((await call(`/${idOf(1)}/export`, { as: learner })).status).toBe(404)
    // Lecturers see their students, but not the records of the school about them.
    expect((await call(`/${idOf(1)}/export`, { as: lecturer })).json.error).toBe('access_denied')
    for (const index of [0, 1]) await enrol(index, 'canceled')
  })

  test('a change is noted under both facets of the person, and counts one version', async () => {
    const before = await call(`/${idOf(3)}`)
    await change(idOf(3), { family_name: 'Rivers' })
    const noted = await api.database.sql.query<{ type: string; version: number }>(
      'SELECT type, version FROM change_log WHERE school_id = $1 AND resource_id = $2 ORDER BY type',
      [api.school.id, demoId(api.school.id, 'person', teamCount + 3)],
    )
    const version = Number(before.headers.get('etag')?.slice(1).split('-')[0]) + 1
    expect(noted).toEqual([
      { type: 'member', version },
      { type: 'student', version },
    ])
  })
})

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

describeDemo('states of a student, on $name', (api) => {
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
