import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toPublicId } from '../../../src/base/ids.ts'
import { newPlan } from '../../support/memberships.ts'
import { operatorEvents, type Place, placesToTest } from './cli.ts'

const [where] = await placesToTest()

describe('subscriptions', () => {
  let place: Place
  let price: string
  beforeAll(async () => {
    place = await (where as { open(): Promise<Place> }).open()
    const { priceId } = await newPlan(place.service.database.sql, place.service.app.schools.all[0]?.school.id as string)
    price = toPublicId('prc', priceId)
  })
  afterAll(() => place.stop())

  test('a subscription waits for its payment, a payment counts once, and a failed one is outstanding', async () => {
    const started = await place.cli(['subscriptions', 'start', 'wren@example.org', price])
    const [id, status] = started.out.trim().split(' ') as [string, string]
    expect([started.exitCode, status]).toEqual([0, 'incomplete'])
    expect((await place.cli(['subscriptions', 'start', 'wren@example.org', price])).exitCode).toBe(1)
    const pay = ['subscriptions', 'mark-paid', id, '--provider', 'card', '--reference', 'ch_81', '--yes']
    expect(await place.cli(pay)).toMatchObject({ exitCode: 0, out: `${id} is paid\n` })
    expect(await place.cli(pay)).toMatchObject({ exitCode: 0, out: `${id} is already paid\n` })
    expect((await place.cli([...pay.slice(0, 6), 'ch_82', '--yes'])).exitCode).toBe(1)
    const fail = ['subscriptions', 'mark-failed', id, '--yes']
    expect((await place.cli(fail)).out).toBe(`${id} awaits a payment\n`)
    expect((await operatorEvents(place.service)).at(-1)).toMatchObject({
      event: 'operator.subscription_failed',
      details: { subscription: id, operator: 'ops' },
    })
  })

  test('an id that does not exist or is malformed is reported', async () => {
    expect((await place.cli(['subscriptions', 'start', 'wren@example.org', 'prc_1'])).exitCode).toBe(2)
    expect((await place.cli(['subscriptions', 'start', 'wren@example.org', 'prc_01jgwejj00e6srgkpqm2sqf05m'])).exitCode).toBe(1)
    expect((await place.cli(['subscriptions', 'mark-paid', 'sub_01jgwejj00e6srgkpqm2sqf05m', '--yes'])).exitCode).toBe(1)
    expect((await place.cli(['subscriptions', 'mark-paid', 'nonsense', '--yes'])).exitCode).toBe(2)
  })
})
