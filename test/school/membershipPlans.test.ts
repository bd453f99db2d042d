import { expect, test } from 'vitest'
import { newId, toPublicId } from '../../src/base/ids.ts'
import { demoId } from '../../src/operate/demo/ids.ts'
import { deleteDueAccounts } from '../../src/school/account/jobs/deleteDueAccounts.ts'
import { newPlan, newSubscription } from '../support/memberships.ts'
import { newSchool } from '../support/rows.ts'
import type { Reply } from './demoApi.ts'
import { describeDemo, describeDemoOn } from './describeDemo.ts'

const owner = 'owner@example.com'
const learner = 'learner001@example.org'
const eur = (amount: number) => ({ amount, currency: 'EUR' })

interface Price {
  id: string
  active: boolean
  amount: { amount: number }
}
const pricesOf = ({ json }: Reply): Price[] => json.prices as Price[]
const idsIn = ({ json }: Reply): string[] => (json.data as { id: string }[]).map(({ id }) => id)

describeDemo('membership plans on $name', (api) => {
  const at = (end = '') => `/api/v1/membership_plans${end}`
  const post = (end: string, body: object = {}, as: string | undefined = owner) => api.send(at(end), { as, body })
  const patch = (end: string, body: object) => api.send(at(end), { as: owner, method: 'PATCH', body })
  const course = async (slug: string): Promise<string> => String((await api.get(`/api/v1/courses/${slug}`, { as: owner })).json.id)

  async function plan(fields: object = {}, ...prices: object[]): Promise<string> {
    const made = await post('', { name: 'Workbench', ...fields })
    expect([made.status, made.json.error]).toEqual([201, undefined])
    for (const price of prices) expect((await post(`/${made.json.id}/prices`, price)).status).toBe(201)
    return String(made.json.id)
  }

  async function activePlan(fields: object = {}): Promise<string> {
    const id = await plan(fields, { interval: 'month', amount: eur(1200), trial_days: 14 })
    expect((await post(`/${id}/activate`)).status).toBe(200)
    return id
  }

  test('a plan is a draft until it has a price, and then everybody finds it', async () => {
    const id = await plan({ name: 'Whole Studio', benefits: ['All courses'], badge: 'Popular' })
    const refused = await post(`/${id}/activate`)
    expect([refused.status, refused.json.error]).toEqual([422, 'not_publishable'])
    expect((await api.get(at(`/${id}`))).status).toBe(404)
    await post(`/${id}/prices`, { interval: 'month', amount: eur(2900) })
    expect((await post(`/${id}/activate`)).json).toMatchObject({ status: 'active', is_free: false, subscribers_count: 0 })
    const seen = await api.get(at('/whole-studio'))
    expect(seen.json).toMatchObject({
      id,
      object: 'membership_plan',
      badge: 'Popular',
      prices: [{ interval: 'month', interval_count: 1, amount: eur(2900), trial_days: 0, active: true }],
    })
    expect(seen.json).not.toHaveProperty('position')
    expect(seen.json).not.toHaveProperty('metadata')
    await post(`/${id}/archive`)
    expect((await api.get(at('/whole-studio'))).status).toBe(404)
  })

  test('a hidden plan is found by staff alone', async () => {
    const id = await activePlan({ visibility: 'hidden' })
    for (const as of [undefined, learner, 'lecturer1@example.com']) expect((await api.get(at(`/${id}`), { as })).status).toBe(404)
    expect((await api.get(at(`/${id}`), { as: owner })).status).toBe(200)
  })

  test('a learner finds their own plan even if it is hidden or archived, and other people do not', async () => {
    const id = await activePlan({ visibility: 'hidden' })
    const { json } = await api.get(at(`/${id}`), { as: owner })
    await api.database.sql.query(
      `INSERT INTO subscription (school_id, id, person_id, plan_id, price_id, status, collection, amount, currency, started_at)
       SELECT p.school_id, $2::uuid, $3::uuid, p.plan_id, p.id, 'active', 'manual', p.amount, p.currency, now()
         FROM plan_price p JOIN membership_plan m ON m.school_id = p.school_id AND m.id = p.plan_id
        WHERE p.school_id = $1 AND m.slug = $4`,
      [api.school.id, newId(), demoId(api.school.id, 'person', 8), json.slug],
    )
    const [row] = await api.database.sql.query<{ email: string }>('SELECT email FROM person WHERE school_id = $1 AND id = $2', [
      api.school.id,
      demoId(api.school.id, 'person', 8),
    ])
    await post(`/${id}/archive`)
    const mine = await api.get(at(`/${id}`), { as: row?.email })
    expect([row?.email, mine.status, mine.json.status]).toEqual([row?.email, 200, 'archived'])
    expect((await api.get(at(`/${id}`), { as: 'learner002@example.org' })).status).toBe(404)
    await api.database.sql.query(`UPDATE subscription SET status = 'canceled', ended_at = now() WHERE school_id = $1`, [api.school.id])
    expect((await api.get(at(`/${id}`), { as: row?.email })).status).toBe(404)
  })

  test('the amount of a price never changes: a price can only be archived', async () => {
    const id = await plan({}, { interval: 'month', amount: eur(1200) }, { interval: 'year', amount: eur(12_000) })
    const [monthly, yearly] = pricesOf(await api.get(at(`/${id}`), { as: owner })) as [Price, Price]
    for (const body of [{ amount: eur(1) }, { interval: 'year' }, { trial_days: 9 }, { interval_count: 2 }]) {
      const refused = await patch(`/${id}/prices/${monthly.id}`, body)
      expect([refused.status, refused.json.error]).toEqual([422, 'unknown_field'])
    }
    await post(`/${id}/activate`)
    const off = await patch(`/${id}/prices/${monthly.id}`, { active: false })
    expect(pricesOf(off).map(({ active }) => active)).toEqual([false, true])
    expect(pricesOf(await api.get(at(`/${id}`))).map((price) => price.id)).toEqual([yearly.id])
    const last = await patch(`/${id}/prices/${yearly.id}`, { active: false })
    expect([last.status, last.json.error]).toEqual([409, 'last_price'])
    await post(`/${id}/archive`)
    expect((await patch(`/${id}/prices/${yearly.id}`, { active: false })).status).toBe(200)
    expect((await post(`/${id}/activate`)).json.error).toBe('not_publishable')
  })

  test('a price that is set to what it is already changes nothing', async () => {
    const id = await activePlan()
    const before = await api.get(at(`/${id}`), { as: owner })
    const [price] = pricesOf(before) as [Price]
    for (const body of [{ active: true }, {}]) {
      const reply = await patch(`/${id}/prices/${price.id}`, body)
      expect([reply.status, reply.json.updated_at]).toEqual([200, before.json.updated_at])
    }
    expect((await api.get(at(`/${id}`), { as: owner })).headers.get('etag')).toBe(before.headers.get('etag'))
  })

  test('two prices of an active plan cannot be archived concurrently', async () => {
    const id = await plan({}, { interval: 'month', amount: eur(1200) }, { interval: 'year', amount: eur(12_000) })
    await post(`/${id}/activate`)
    const prices = pricesOf(await api.get(at(`/${id}`), { as: owner }))
    const replies = await Promise.all(prices.map((price) => patch(`/${id}/prices/${price.id}`, { active: false })))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409])
  })

  test('the price of another plan, or of another school, is not there', async () => {
    const [id, other] = [await plan({}, { interval: 'month', amount: eur(5) }), await plan({}, { interval: 'month', amount: eur(5) })]
    const [price] = pricesOf(await api.get(at(`/${other}`), { as: owner })) as [Price]
    expect((await patch(`/${id}/prices/${price.id}`, { active: false })).status).toBe(404)
    expect((await patch(`/${id}/prices/${toPublicId('prc', newId())}`, { active: false })).status).toBe(404)
    expect((await patch(`/${id}/prices/nonsense`, { active: false })).status).toBe(400)
  })

  test.each([
    [{ interval: 'month', amount: { amount: 5, currency: 'USD' } }, 'amount.currency'],
    [{ interval: 'one_time', interval_count: 2, amount: eur(5) }, 'interval_count'],
    [{ interval: 'month', interval_count: 25, amount: eur(5) }, 'interval_count'],
    [{ interval: 'month', amount: eur(5), trial_days: 366 }, 'trial_days'],
    [{ interval: 'month', amount: eur(0), trial_days: 3 }, 'trial_days'],
    [{ interval: 'month', amount: eur(-1) }, 'amount.amount'],
    [{ interval: 'month', amount: eur(1.5) }, 'amount.amount'],
    [{ interval: 'month', amount: eur(1e15) }, 'amount.amount'],
    [{ interval: 'week', amount: eur(5) }, 'interval'],
  ])('the price %j is refused, and the answer names %s', async (price, field) => {
    const reply = await post(`/${await plan()}/prices`, price)
    expect([reply.status, (reply.json.details as { field: string }[]).map((detail) => detail.field)]).toEqual([422, [field]])
  })

  test('a plan is free, with one price of nothing, or is not', async () => {
    const free = await plan({ name: 'Window Seat' }, { interval: 'month', amount: eur(0) })
    expect((await api.get(at(`/${free}`), { as: owner })).json.is_free).toBe(true)
    expect((await post(`/${free}/prices`, { interval: 'month', amount: eur(5) })).status).toBe(422)
    expect((await post(`/${free}/prices`, { interval: 'year', amount: eur(0) })).status).toBe(422)
    const paid = await plan({}, { interval: 'month', amount: eur(5) })
    expect((await post(`/${paid}/prices`, { interval: 'month', amount: eur(0) })).status).toBe(422)
  })

  test('a plan has at most twenty prices', async () => {
    const id = await plan()
    for (let months = 1; months <= 20; months++)
      expect((await post(`/${id}/prices`, { interval: 'month', interval_count: months, amount: eur(months) })).status).toBe(201)
    expect((await post(`/${id}/prices`, { interval: 'year', amount: eur(5) })).status).toBe(422)
  })

  test('the content of a plan is one object; unknown ids are named', async () => {
    const [clay, draft] = [await course('clay-from-scratch'), await course('paper-marbling')]
    const id = await activePlan({ includes: { course_ids: [draft, clay, clay] } })
    const whole = { all_courses: false, course_ids: [clay, draft].toSorted(), digital_product_ids: [], all_events: false }
    const row = await api.get(at(`/${id}`), { as: owner })
    expect(row.json.includes).toEqual(whole)
    const same = await patch(`/${id}`, { includes: { course_ids: [clay, draft] } })
    expect(same.headers.get('etag')).toBe(row.headers.get('etag'))
    expect((await patch(`/${id}`, { includes: { all_events: true } })).json.includes).toEqual({ ...whole, all_events: true })
    const foreign = [toPublicId('crs', newId()), toPublicId('dgp', newId())]
    const refused = await patch(`/${id}`, { includes: { course_ids: [clay, foreign[0]], digital_product_ids: [foreign[1]] } })
    expect([refused.status, refused.json.error]).toEqual([422, 'invalid_reference'])
    expect((refused.json.details as { field: string }[]).map(({ field }) => field).toSorted()).toEqual([
      expect.stringMatching(/^includes\.course_ids\.\d$/),
      'includes.digital_product_ids.0',
    ])
    expect((await patch(`/${id}`, { includes: null })).json.includes).toEqual({ ...whole, course_ids: [], all_events: false })
  })

  test('a plan does not show visitors a course that they cannot see', async () => {
    const [clay, draft] = [await course('clay-from-scratch'), await course('paper-marbling')]
    const id = await activePlan({ includes: { course_ids: [clay, draft] } })
    for (const as of [undefined, learner]) {
      const seen = await api.get(`${at(`/${id}`)}?expand=courses`, { as })
      expect(seen.json.includes).toMatchObject({ course_ids: [clay] })
      expect(seen.text).not.toContain(draft)
      expect(seen.json.courses).toMatchObject({ data: [{ slug: 'clay-from-scratch' }], has_more: false })
      expect(idsIn(await api.get(`${at()}?course_id=${draft}&limit=100`, { as }))).not.toContain(id)
      expect(idsIn(await api.get(`${at()}?course_id=${clay}&limit=100`, { as }))).toContain(id)
    }
    expect(idsIn(await api.get(`${at()}?course_id=${draft}&limit=100`, { as: owner }))).toContain(id)
  })

  test('a draft goes with its prices; what is, or was, active stays', async () => {
    const draft = await plan({ includes: { course_ids: [await course('clay-from-scratch')] } }, { interval: 'month', amount: eur(5) })
    expect((await api.send(at(`/${draft}`), { as: owner, method: 'DELETE' })).status).toBe(204)
    expect((await api.get(at(`/${draft}`), { as: owner })).status).toBe(404)
    const active = await activePlan()
    for (const verb of ['', '/archive']) {
      if (verb) await post(`/${active}${verb}`)
      const kept = await api.send(at(`/${active}`), { as: owner, method: 'DELETE' })
      expect([kept.status, kept.json.error]).toEqual([409, 'invalid_state'])
    }
  })

  test('numbers are shown to visitors where the school shows numbers', async () => {
    const id = await activePlan()
    const shows = (shown: boolean) =>
      api.database.sql.query(`UPDATE school SET settings = settings || jsonb_build_object('show_counts', $2::boolean) WHERE id = $1`, [
        api.school.id,
        shown,
      ])
    await shows(false)
    for (const as of [undefined, learner]) expect((await api.get(at(`/${id}`), { as })).json.subscribers_count).toBeNull()
    expect((await api.get(at(`/${id}`), { as: owner })).json.subscribers_count).toBe(0)
    await shows(true)
    expect((await api.get(at(`/${id}`))).json.subscribers_count).toBe(0)
  })

  test('with memberships turned off, visitors get an error that says so, and staff keep access', async () => {
    const id = await activePlan()
    const turn = (isOn: boolean) =>
      api.database.sql.query(`UPDATE school SET features = features || jsonb_build_object('memberships', $2::boolean) WHERE id = $1`, [
        api.school.id,
        isOn,
      ])
    await turn(false)
    expect([(await api.get(at())).status, (await api.get(at(`/${id}`))).status]).toEqual([404, 404])
    expect((await api.get(at(`/${id}`), { as: owner })).status).toBe(200)
    await turn(true)
    expect((await api.get(at(`/${id}`))).status).toBe(200)
  })

  test('a plan of another school is not there', async () => {
    const schoolId = await newSchool(api.database.sql)
    const foreign = newId()
    await api.database.sql.query(`INSERT INTO membership_plan (school_id, id, slug, name, status) VALUES ($1, $2, 'x', 'X', 'active')`, [
      schoolId,
      foreign,
    ])
    const id = toPublicId('mpl', foreign)
    expect((await api.get(at(`/${id}`), { as: owner })).status).toBe(404)
    expect((await post(`/${id}/archive`)).status).toBe(404)
    expect((await api.send(at('/positions'), { as: owner, method: 'PUT', body: { plan_ids: [id] } })).json.error).toBe('invalid_reference')
  })
})

const anyVersion = { 'if-match': '*' }

describeDemoOn('last', 'effects of plans on other resources, on $name', (api) => {
  const query = <Row extends object>(text: string, values: unknown[] = []) => api.database.sql.query<Row>(text, [api.school.id, ...values])
  const slugs = ({ json }: Reply): string[] => (json.data as { slug: string }[]).map(({ slug }) => slug)
  const personOf = async (email: string): Promise<string> =>
    (
      await query<{ id: string }>(
        'SELECT p.id FROM person p JOIN account a ON a.school_id = p.school_id AND a.id = p.account_id WHERE p.school_id = $1 AND a.email = $2',
        [email],
      )
    )[0]?.id as string

  test('a course names the plans that open it, as far as one may know of them', async () => {
    const include = async (planId: string, slug: string) =>
      await query(
        `INSERT INTO plan_item (school_id, plan_id, product_type, product_id) SELECT school_id, $2, 'course', id FROM course WHERE school_id = $1 AND slug = $3`,
        [planId, slug],
      )
    const shown = await newPlan(api.database.sql, api.school.id, { slug: 'shown-bench' })
    const hidden = await newPlan(api.database.sql, api.school.id, { slug: 'hidden-bench', visibility: 'hidden' })
    const draft = await newPlan(api.database.sql, api.school.id, { slug: 'draft-bench', status: 'draft' })
    const whole = await newPlan(api.database.sql, api.school.id, { slug: 'whole-bench' })
    await query('UPDATE membership_plan SET includes_all_courses = true WHERE school_id = $1 AND id = $2', [whole.planId])
    for (const { planId } of [shown, hidden, draft]) await include(planId, 'clay-from-scratch')
    const named = async (as?: string) => {
      const { json, text } = await api.get('/api/v1/courses/clay-from-scratch?expand=included_in_plans', { as })
      const { data } = json.included_in_plans as { data: { slug: string }[] }
      expect(text).toContain('"subscribers_count"')
      return data.map(({ slug }) => slug)
    }
    for (const as of [undefined, learner]) {
      expect(await named(as)).toEqual(['shown-bench', 'whole-bench'])
      const plain = await api.get('/api/v1/courses/clay-from-scratch', { as })
      expect((plain.json.included_in_plans as { slug: string }[]).map(({ slug }) => slug)).toEqual(['shown-bench', 'whole-bench'])
      expect(plain.text).not.toContain(toPublicId('mpl', hidden.planId))
      const filtered = (planId: string) => api.get(`/api/v1/courses?limit=100&plan_id=${toPublicId('mpl', planId)}`, { as })
      expect(slugs(await filtered(shown.planId))).toEqual(['clay-from-scratch'])
      expect(slugs(await filtered(hidden.planId))).toEqual([])
      expect(slugs(await filtered(whole.planId)).length).toBeGreaterThan(5)
    }
    expect((await named(owner)).toSorted()).toEqual(['draft-bench', 'hidden-bench', 'shown-bench', 'whole-bench'])
    await newSubscription(api.database.sql, api.school.id, { ...hidden, personId: await personOf(learner) })
    expect(await named(learner)).toContain('hidden-bench')
    await query(`UPDATE school SET features = features || '{"memberships": false}' WHERE id = $1`)
    expect((await api.get('/api/v1/courses/clay-from-scratch')).json.included_in_plans).toEqual([])
    await query(`UPDATE school SET features = features || '{"memberships": true}' WHERE id = $1`)
  })

  test('an account with a renewing subscription cannot be deleted; with a cancelled one it can, and the rest of the period ends', async () => {
    const as = 'learner002@example.org'
    const personId = await personOf(as)
    const plan = await newPlan(api.database.sql, api.school.id)
    await newSubscription(api.database.sql, api.school.id, { ...plan, personId })
    const remove = () => api.send('/api/v1/account', { method: 'DELETE', as })
    const refused = await remove()
    expect([refused.status, refused.json.error]).toEqual([409, 'active_subscription'])
    const { json } = await api.get('/api/v1/subscriptions', { as })
    await api.send(`/api/v1/subscriptions/${(json.data as { id: string }[])[0]?.id}/cancel`, { as, body: {} })
    expect((await remove()).status).toBe(202)
    await query(`UPDATE account SET deletion_scheduled_at = now() - interval '1 second' WHERE school_id = $1 AND email = $2`, [as])
    expect(await deleteDueAccounts(api.database, async () => {}, 10)).toBe(1)
    const [row] = await query<{ status: string }>('SELECT status FROM subscription WHERE school_id = $1 AND person_id = $2', [personId])
    expect(row?.status).toBe('canceled')
  })

  test('the currency is the matter of the owners, and fixed once somebody has paid', async () => {
    const change = (as: string, currency: string) =>
      api.send('/api/v1/school', { method: 'PATCH', as, headers: anyVersion, body: { currency } })
    await query(`UPDATE orders SET paid_at = NULL WHERE school_id = $1`)
    const refused = await change('admin1@example.com', 'USD')
    expect([refused.status, refused.json.error]).toEqual([403, 'access_denied'])
    expect((await change('admin1@example.com', 'EUR')).status).toBe(200)
    expect((await change(owner, 'USD')).json.currency).toBe('USD')
    expect((await change(owner, 'EUR')).json.currency).toBe('EUR')
    const plan = await newPlan(api.database.sql, api.school.id)
    const member_id = toPublicId('mbr', await personOf('learner003@example.org'))
    const body = { plan_id: toPublicId('mpl', plan.planId), price_id: toPublicId('prc', plan.priceId), member_id }
    expect((await api.send('/api/v1/subscriptions', { as: owner, body })).status).toBe(201)
    const locked = await change(owner, 'USD')
    expect([locked.status, locked.json.error]).toEqual([409, 'currency_locked'])
    expect((await change(owner, 'EUR')).status).toBe(200)
  })
})
