import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toPublicId } from '../../src/base/ids.ts'
import { deleteDueAccounts } from '../../src/school/account/jobs/deleteDueAccounts.ts'
import { databasesToTest } from '../support/databases.ts'
import { newPlan, newSubscription } from '../support/memberships.ts'
import { type DemoApi, type Reply, startDemoApi } from './demoApi.ts'

const owner = 'owner@example.com'
const learner = 'learner001@example.org'
const anyVersion = { 'if-match': '*' }

describe.each((await databasesToTest()).slice(-1))('effects of plans on other resources, on $name', ({ open }) => {
  let api: DemoApi
  beforeAll(async () => {
    api = await startDemoApi(await open())
  })
  afterAll(() => api.stop())

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
