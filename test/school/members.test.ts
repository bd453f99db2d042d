import { expect, test } from 'vitest'
import { fromPublicId, newId, toPublicId } from '../../src/base/ids.ts'
import { demoId } from '../../src/operate/demo/ids.ts'
import { allScopes, type Reply, type SendOptions, teamCount } from './demoApi.ts'
import { describeDemo } from './describeDemo.ts'

const owner = 'owner@example.com'
const admin = 'admin1@example.com'
const learner = 'learner001@example.org'
const lecturer = 'lecturer1@example.com'

const states = ['invited', 'active', 'blocked', 'left', 'erased'] as const
type State = (typeof states)[number]

/** The response of each action in each state: the next state, or the error. */
const table: Record<string, Record<State, State | 'invalid_state'>> = {
  block: { invited: 'invalid_state', active: 'blocked', blocked: 'blocked', left: 'invalid_state', erased: 'invalid_state' },
  unblock: { invited: 'invalid_state', active: 'active', blocked: 'active', left: 'invalid_state', erased: 'invalid_state' },
  remove: { invited: 'invalid_state', active: 'left', blocked: 'left', left: 'left', erased: 'invalid_state' },
  erase: { invited: 'erased', active: 'erased', blocked: 'erased', left: 'erased', erased: 'erased' },
  retitle: { invited: 'invited', active: 'active', blocked: 'blocked', left: 'left', erased: 'invalid_state' },
  // Sent by the person themselves; an erased person has no login.
  leave: { invited: 'invalid_state', active: 'left', blocked: 'invalid_state', left: 'left', erased: 'erased' },
}

describeDemo('members, on $name', (api) => {
  const call = (path: string, options: SendOptions = {}): Promise<Reply> =>
    api.send(`/api/v1/members${path}`, { method: 'GET', as: owner, ...options })
  const post = (path: string, body: object = {}, as = owner): Promise<Reply> => call(path, { method: 'POST', body, as })
  const change = (id: unknown, body: object, as = owner): Promise<Reply> => call(`/${String(id)}`, { method: 'PATCH', as, body })
  const add = (body: object = {}): Promise<Reply> => post('', { email: `${newId()}@example.org`, display_name: 'Posy', ...body })
  const rowsOf = ({ json }: Reply) => (json.data ?? []) as Record<string, unknown>[]
  const personId = (index: number) => demoId(api.school.id, 'person', teamCount + index)
  const idOf = (index: number) => toPublicId('mbr', personId(index))
  const setPerson = (id: string, columns: string) =>
    api.database.sql.query(`UPDATE person SET ${columns} WHERE school_id = $1 AND id = $2`, [api.school.id, id])
  const directory = (mode: string) =>
    api.database.sql.query(`UPDATE school SET settings = settings || $2::jsonb WHERE id = $1`, [
      api.school.id,
      JSON.stringify({ member_directory: mode }),
    ])
  async function subscribe(person: string): Promise<string> {
    const made = newId()
    const values = [api.school.id, made, person, newId(), newId()]
    await api.database.sql.query(`INSERT INTO membership_plan (school_id, id, slug, name, status) VALUES ($1, $2, $3, 'Bench', 'active')`, [
      api.school.id,
      values[3],
      `bench-${made}`,
    ])
    await api.database.sql.query(
      `INSERT INTO plan_price (school_id, id, plan_id, "interval", amount, currency) VALUES ($1, $2, $3, 'month', 900, 'EUR')`,
      [api.school.id, values[4], values[3]],
    )
    await api.database.sql.query(
      `INSERT INTO subscription (school_id, id, person_id, plan_id, price_id, status, collection, amount, currency)
       VALUES ($1, $2, $3, $4, $5, 'active', 'manual', 900, 'EUR')`,
      values,
    )
    return toPublicId('mpl', values[3] as string)
  }

  test('visitors are rejected unless the directory is public, and then see only listed members', async () => {
    for (const mode of ['off', 'members']) {
      await directory(mode)
      for (const path of ['', `/${idOf(0)}`, '/me']) {
        const reply = await call(path, { as: undefined })
        expect([mode, path, reply.status, reply.json.error]).toEqual([mode, path, 403, 'access_denied'])
        expect(reply.headers.get('www-authenticate')).toBeNull()
      }
    }
    await directory('public')
    await setPerson(personId(1), "directory_visible = false, display_name = 'Hidden Tobin'")
    await setPerson(personId(2), "member_status = 'blocked'")
    const rows = rowsOf(await call('?limit=100&sort=created_at', { as: undefined }))
    const ids = rows.map(({ id }) => id)
    expect(ids).toContain(idOf(0))
    for (const index of [1, 2, 5]) {
      expect(ids).not.toContain(idOf(index))
      expect((await call(`/${idOf(index)}`, { as: undefined })).status).toBe(404)
    }
    const shown = ['id', 'object', 'display_name', 'headline', 'avatar', 'links', 'joined_at', 'created_at', 'updated_at']
    for (const row of rows) expect(Object.keys(row).toSorted()).toEqual(shown.toSorted())
    expect((await call('?q=hidden tobin', { as: undefined })).json.data).toEqual([])
    expect((await call('?q=example.org', { as: undefined })).json.data).toEqual([])
    for (const query of ['status=active', 'tier=free', 'label=x', 'role=owner', 'email=a@example.org', 'last_seen_at[exists]=true']) {
      expect([query, (await call(`?${query}`, { as: undefined })).json.error]).toEqual([query, 'invalid_parameter'])
    }
  })

  test('the directory for members is for active members and lecturers; everybody finds themselves', async () => {
    await directory('members')
    expect(rowsOf(await call('?limit=100', { as: learner })).length).toBeGreaterThan(90)
    expect(rowsOf(await call('?limit=100', { as: lecturer })).length).toBeGreaterThan(90)
    for (const [index, condition] of [
      [2, "member_status = 'blocked'"],
      [5, 'is_member = false'],
    ] as const) {
      await setPerson(personId(index), condition)
      const seen = rowsOf(await call('', { as: `learner00${index + 1}@example.org` })).map(({ id }) => id)
      expect([index, seen]).toEqual([index, index === 2 ? [idOf(2)] : []])
    }
    await directory('off')
    expect(rowsOf(await call('', { as: learner })).map(({ id }) => id)).toEqual([idOf(0)])
    expect(rowsOf(await call('', { as: lecturer }))).toEqual([])
    expect(rowsOf(await call('?limit=2')).length).toBe(2)
    await directory('members')
  })

  test('a member sees and changes what is theirs; the school keeps its notes', async () => {
    await change(idOf(0), { note: 'Brings cake', labels: ['founder'] })
    const own = await change('me', { display_name: 'Wren', bio: 'Clay', links: [{ label: 'Shelf', url: 'https://wren.example' }] }, learner)
    expect(own.json).toMatchObject({ id: idOf(0), display_name: 'Wren', bio: 'Clay', status: 'active', plans: [], email: learner })
    for (const field of ['note', 'labels', 'roles', 'metadata', 'external_id', 'status_reason']) expect(own.json).not.toHaveProperty(field)
    for (const body of [{ labels: ['vip'] }, { note: 'x' }, { tier: 'paid' }, { email: 'x@example.org' }]) {
      expect([body, (await change('me', body, learner)).status]).toEqual([body, 422])
    }
    const other = await call(`/${idOf(3)}`, { as: learner })
    expect(other.json).not.toHaveProperty('email')
    expect((await change(idOf(3), { display_name: 'Fen' }, learner)).json.error).toBe('access_denied')
    expect((await call(`/${idOf(0)}`)).json).toMatchObject({ note: 'Brings cake', labels: ['founder'], roles: ['learner'] })
    expect((await change(idOf(0), { send_invite: true })).json.error).toBe('immutable_field')
  })

  test('every action in every state leads where the table says, and is refused where it says so', async () => {
    for (const [action, outcomes] of Object.entries(table)) {
      for (const state of states) {
        const { json } = await add()
        const id = fromPublicId('mbr', json.id as string) as string
        if (state === 'erased') await call(`/${String(json.id)}`, { method: 'DELETE' })
        else await setPerson(id, `member_status = '${state}'`)
        const email = action === 'leave' && state !== 'erased' ? await withLogin(id) : undefined
        const reply =
          action === 'erase'
            ? await call(`/${String(json.id)}`, { method: 'DELETE' })
            : action === 'retitle'
              ? await change(json.id, { headline: 'Turns' })
              : action !== 'leave'
                ? await post(`/${String(json.id)}/${action}`)
                : email === undefined
                  ? await call(`/${String(json.id)}`)
                  : await post('/me/leave', {}, email)
        const isRefused = outcomes[state] === 'invalid_state'
        const after = (await call(`/${String(json.id)}`)).json.status
        expect([action, state, reply.json.error ?? reply.status < 300, after]).toEqual([
          action,
          state,
          isRefused ? 'invalid_state' : true,
          isRefused ? state : outcomes[state],
        ])
      }
    }
  })

  async function withLogin(id: string): Promise<string> {
    const email = `${id}@example.test`
    await api.database.sql.query('INSERT INTO account (school_id, id, email, name) VALUES ($1, $2, $3, $4)', [
      api.school.id,
      id,
      email,
      'Posy',
    ])
    await setPerson(id, `account_id = '${id}'`)
    return email
  }

  test('a member with a paid subscription is kept unless it is cancelled too', async () => {
    const { json } = await add()
    const id = fromPublicId('mbr', json.id as string) as string
    const plan = await subscribe(id)
    expect((await call(`/${String(json.id)}?fields=plans`)).json.plans).toMatchObject([{ id: plan, name: 'Bench', until: null }])
    expect(rowsOf(await call(`?plan_id=${plan}`)).map((row) => row.id)).toEqual([json.id])
    expect(rowsOf(await call(`?plan_id=${plan}&expand=plans`))[0]?.plans).toMatchObject({ data: [{ id: plan }], has_more: false })
    const email = await withLogin(id)
    expect((await post('/me/leave', {}, email)).json.error).toBe('active_subscription')
    expect((await post(`/${String(json.id)}/remove`)).json.error).toBe('active_subscription')
    expect((await call(`/${String(json.id)}`, { method: 'DELETE' })).json.error).toBe('active_subscription')
    const gone = await post(`/${String(json.id)}/remove`, { cancel_subscriptions: true, reason: 'Asked to go' })
    expect(gone.json).toMatchObject({ status: 'left', plans: [], status_reason: 'Asked to go' })
  })

  test('a plan is given with the right scope, and the member has it for nothing', async () => {
    const plan = await subscribe(personId(8))
    const body = { email: `${newId()}@example.org`, display_name: 'Nell', plan_id: plan }
    const refused = await call('', { method: 'POST', body, scopes: allScopes.filter((name) => name !== 'subscriptions:write') })
    expect([refused.status, refused.json.error]).toEqual([403, 'insufficient_scope'])
    expect((await add({ plan_id: toPublicId('mpl', newId()) })).json.error).toBe('invalid_reference')
    const made = await call('', { method: 'POST', body })
    expect(made).toMatchObject({ status: 201, json: { tier: 'comped', plans: [{ id: plan }] } })
    expect((await change(made.json.id, { plan_id: plan })).json.error).toBe('immutable_field')
  })

  test('owners cannot be blocked, admins cannot block owners or admins, and people cannot block themselves', async () => {
    await api.database.sql.query(`UPDATE person SET is_member = true WHERE school_id = $1 AND email = ANY ($2)`, [
      api.school.id,
      [owner, admin, 'admin2@example.com'],
    ])
    const idBy = async (email: string) => rowsOf(await call(`?email=${email}`))[0]?.id
    const [ownerId, other] = [await idBy(owner), await idBy('admin2@example.com')]
    expect((await call(`/${String(ownerId)}`)).json.roles).toEqual(['owner'])
    expect(rowsOf(await call('?role=owner,admin')).map(({ id }) => id)).toEqual(expect.arrayContaining([ownerId, other]))
    for (const [id, as, error] of [
      [ownerId, admin, 'access_denied'],
      [other, admin, 'access_denied'],
      [ownerId, owner, 'self_change'],
    ] as const) {
      expect((await post(`/${String(id)}/block`, {}, as)).json.error).toBe(error)
    }
    await api.database.sql.query(
      `UPDATE staff SET role = 'owner' FROM person WHERE person.id = staff.person_id AND staff.school_id = $1 AND person.email = $2`,
      [api.school.id, 'admin2@example.com'],
    )
    expect((await post(`/${String(other)}/block`)).json.error).toBe('invalid_state')
    expect((await post(`/${String(other)}/remove`, {}, admin)).json.error).toBe('access_denied')
    for (const path of ['/block', '/unblock', '/remove']) {
      expect((await post(`/${idOf(3)}${path}`, {}, learner)).json.error).toBe('access_denied')
    }
  })

  test('when block and leave run concurrently, one succeeds, and the other gets an error', async () => {
    for (let round = 0; round < 4; round++) {
      const { json } = await add()
      const id = fromPublicId('mbr', json.id as string) as string
      const email = await withLogin(id)
      const replies = await Promise.all([post(`/${String(json.id)}/block`), post('/me/leave', {}, email)])
      const { status } = (await call(`/${String(json.id)}`)).json
      expect(replies.map((reply) => reply.status).toSorted()).toEqual([200, 409])
      expect(status).toBe(replies[0]?.status === 200 ? 'blocked' : 'left')
    }
  })

  test('labels are set in bulk, and unknown members are named', async () => {
    const [one, two] = [(await add({ labels: ['old'] })).json.id, (await add()).json.id]
    const nobody = toPublicId('mbr', newId())
    const before = (await call(`/${String(two)}`)).headers.get('etag')
    const reply = await post('/labels', { member_ids: [one, nobody, two], add: ['guild'], remove: ['old'] })
    expect(reply).toMatchObject({
      status: 207,
      json: { results: [{ status: 200, id: one }, { status: 404 }, { status: 200, id: two }], summary: { failed: 1 } },
    })
    expect((await call(`/${String(one)}`)).json.labels).toEqual(['guild'])
    const after = (await call(`/${String(two)}`)).headers.get('etag')
    expect(after).not.toBe(before)
    await post('/labels', { member_ids: [two], add: ['guild'] })
    expect((await call(`/${String(two)}`)).headers.get('etag')).toBe(after)
    expect(
      rowsOf(await call('?label=guild'))
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual([one, two].toSorted())
  })

  test('one person can be a member and a student, in either order', async () => {
    const member = await call(`/${idOf(0)}?expand=student&fields=display_name`)
    expect(member.json.student).toMatchObject({ id: toPublicId('std', personId(0)), email: learner })
    const student = await api.get(`/api/v1/students/${toPublicId('std', personId(0))}?expand=member`, { as: owner })
    expect(student.json.member).toMatchObject({ id: idOf(0), display_name: 'Wren' })
    const scopes = allScopes.filter((name) => name !== 'students:read')
    expect((await call(`/${idOf(0)}?expand=student`, { scopes })).json.error).toBe('insufficient_scope')
  })
})
