import { expect, test } from 'vitest'
import { toPublicId } from '../../src/base/ids.ts'
import { subscriptionStates } from '../../src/school/memberships/subscriptionTransitions.ts'
import { newPlan, newSubscription } from '../support/memberships.ts'
import { newPerson } from '../support/shop.ts'
import { describeDemoOn } from './describeDemo.ts'

const owner = 'owner@example.com'

/** The state of a subscription after each action, `=` if it stays as it is, or the error. */
const table: Record<string, Record<string, string>> = {
  incomplete: {
    end: '409',
    end_now: '409',
    resume: '409',
    pause: '409',
    change: '409',
    change_now: '409',
    keep_price: '=',
    move_end: '409',
    move_trial: '409',
  },
  trialing: {
    end: 'trialing',
    end_now: 'canceled',
    resume: '=',
    pause: 'paused',
    change: 'trialing',
    change_now: 'trialing',
    keep_price: '=',
    move_end: 'trialing',
    move_trial: 'trialing',
  },
  active: {
    end: 'active',
    end_now: 'canceled',
    resume: '=',
    pause: 'paused',
    change: 'active',
    change_now: 'active',
    keep_price: '=',
    move_end: 'active',
    move_trial: '409',
  },
  past_due: {
    end: 'canceled',
    end_now: 'canceled',
    resume: '=',
    pause: '409',
    change: '409',
    change_now: '409',
    keep_price: '=',
    move_end: '409',
    move_trial: '409',
  },
  paused: {
    end: 'paused',
    end_now: 'canceled',
    resume: 'active',
    pause: '=',
    change: '409',
    change_now: '409',
    keep_price: '=',
    move_end: 'paused',
    move_trial: '409',
  },
  canceled: {
    end: '=',
    end_now: '=',
    resume: '409',
    pause: '409',
    change: '409',
    change_now: '409',
    keep_price: '=',
    move_end: '409',
    move_trial: '409',
  },
  expired: {
    end: '409',
    end_now: '409',
    resume: '409',
    pause: '409',
    change: '409',
    change_now: '409',
    keep_price: '=',
    move_end: '409',
    move_trial: '409',
  },
}
const actions = Object.keys(table.active as object)

/** The same of a plan, whose states are fewer. */
const planTable: Record<string, Record<string, string>> = {
  draft: { activate: 'active', archive: '409', remove: 'gone' },
  active: { activate: '=', archive: 'archived', remove: '409' },
  archived: { activate: 'active', archive: '=', remove: '409' },
}

describeDemoOn('last', 'states on $name', (api) => {
  test('the table names every state, and every action in each', () => {
    expect(Object.keys(table)).toEqual([...subscriptionStates])
    for (const row of Object.values(table)) expect(Object.keys(row)).toEqual(actions)
  })

  test.each(
    Object.entries(table).flatMap(([state, row]) => Object.entries(row).map(([action, result]) => [state, action, result] as const)),
  )('a subscription that is %s, by %s: %s', async (state, action, result) => {
    const { sql } = api.database
    const { id: schoolId } = api.school
    const plan = await newPlan(sql, schoolId)
    const next = toPublicId('prc', (await newPlan(sql, schoolId, { amount: 2900 })).priceId)
    const personId = await newPerson(sql, schoolId)
    const row = await newSubscription(sql, schoolId, { personId, ...plan, status: state, collection: 'manual' })
    const path = `/api/v1/subscriptions/${toPublicId('sub', row)}`
    const later = new Date(Date.now() + 40 * 86_400_000).toISOString()
    const sent: Record<string, [end: string, body: object]> = {
      end: ['/cancel', {}],
      end_now: ['/cancel', { at: 'now' }],
      resume: ['/resume', {}],
      pause: ['/pause', {}],
      change: ['/change_plan', { price_id: next }],
      change_now: ['/change_plan', { price_id: next, when: 'now' }],
      keep_price: ['/change_plan/cancel', {}],
      move_end: ['', { current_period_end: later }],
      move_trial: ['', { trial_ends_at: later }],
    }
    const [end, body] = sent[action] as [string, object]
    const options = { as: owner, method: end ? 'POST' : 'PATCH', body }
    const before = await api.get(path, { as: owner })
    const reply = await api.send(path + end, options)
    const after = await api.get(path, { as: owner })
    const seen = async (): Promise<string> => {
      const [plan_row] = await sql.query<{ n: number }>(
        'SELECT subscribers_count AS n FROM membership_plan WHERE school_id = $1 AND id = $2',
        [schoolId, plan.planId],
      )
      const isOver = ['canceled', 'expired'].includes(String(after.json.status))
      const isThere = after.json.plan_id === toPublicId('mpl', plan.planId) && !isOver
      expect(plan_row?.n).toBe(isThere ? 1 : 0)
      if (reply.status !== 200) {
        expect([reply.json.error, after.headers.get('etag')]).toEqual(['invalid_state', before.headers.get('etag')])
        return String(reply.status)
      }
      return reply.headers.get('etag') === before.headers.get('etag') ? '=' : String(reply.json.status)
    }
    expect(await seen()).toBe(result)
    if (reply.status !== 200) return
    // An action that is already in effect has no effect, and neither has cancelling again at the end of the period.
    const again = await api.send(path + end, options)
    expect([again.status, again.headers.get('etag')]).toEqual([200, reply.headers.get('etag')])
  })

  test.each(
    Object.entries(planTable).flatMap(([state, row]) => Object.entries(row).map(([action, result]) => [state, action, result] as const)),
  )('a plan that is %s, by %s: %s', async (state, action, result) => {
    const { planId } = await newPlan(api.database.sql, api.school.id, { status: state as 'draft' })
    const path = `/api/v1/membership_plans/${toPublicId('mpl', planId)}`
    const before = await api.get(path, { as: owner })
    const reply =
      action === 'remove'
        ? await api.send(path, { as: owner, method: 'DELETE' })
        : await api.send(`${path}/${action}`, { as: owner, body: {} })
    const seen =
      reply.status === 204
        ? 'gone'
        : reply.status !== 200
          ? String(reply.status)
          : reply.headers.get('etag') === before.headers.get('etag')
            ? '='
            : reply.json.status
    expect(seen).toBe(result)
  })
})
