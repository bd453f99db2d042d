import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordOrder } from '../../src/domain/orders/recordOrder.ts'
import { inSchool } from '../../src/store/inSchool.ts'
import { newCourse, newPerson } from '../support/shop.ts'
import { operatorEvents, type Place, placesToTest } from './cli.ts'

const [where] = await placesToTest()

describe('orders', () => {
  let place: Place
  let schoolId: string
  let course: string
  let personId: string
  beforeAll(async () => {
    place = await (where as { open(): Promise<Place> }).open()
    schoolId = place.service.app.schools.all[0]?.school.id as string
    const { sql } = place.service.database
    course = await newCourse(sql, schoolId)
    personId = await newPerson(sql, schoolId, { email: 'wren@example.org' })
  })
  afterAll(() => place.stop())

  const buy = async (): Promise<string> => {
    const item = { type: 'course', id: course, title: 'Salt Glazing', unitAmount: 8900 } as const
    const order = { schoolId, now: new Date(), personId, kind: 'one_time', status: 'pending', items: [item] } as const
    return (await place.service.database.transaction((writer) => recordOrder(inSchool(writer, order.schoolId), order))).number
  }
  const show = async (number: string) => (await place.cli(['orders', 'show', number, '--json'])).json()
  const statusOf = async (number: string): Promise<string> => (await show(number)).status
  const lastEvent = async () => (await operatorEvents(place.service)).at(-1)

  test('a pending order is listed, shown by number and by id, and paid once', async () => {
    const number = await buy()
    const listed = await place.cli(['orders', 'list', '--status', 'pending', '--email', 'Wren@example.org'])
    expect(listed.out).toContain(number)
    expect((await place.cli(['orders', 'list', '--status', 'paid'])).out).toBe('no orders\n')
    const shown = await show(number)
    expect(shown).toMatchObject({
      number,
      status: 'pending',
      total: 8900,
      buyer_email: 'wren@example.org',
      items: [expect.stringMatching(/^oit_\w{26} 1 × Salt Glazing$/)],
    })
    expect(await show(shown.id)).toEqual(shown)
    const pay = ['orders', 'mark-paid', number, '--provider', 'bank_transfer', '--reference', 'SEPA 81-2', '--yes']
    expect(await place.cli(pay)).toMatchObject({ exitCode: 0, out: `${number} is paid\n` })
    expect(await place.cli(pay)).toMatchObject({ exitCode: 0, out: `${number} is already paid\n` })
    expect(await lastEvent()).toMatchObject({ event: 'operator.order_paid', details: { order: number, operator: 'ops' } })
    const again = await place.cli(['orders', 'mark-paid', await buy(), ...pay.slice(3)])
    expect(again).toMatchObject({ exitCode: 1, err: expect.stringContaining('Another order') })
    expect(again.err).not.toContain('constraint')
  })

  test('a refund is recorded in parts, up to the paid amount', async () => {
    const number = await buy()
    await place.cli(['orders', 'mark-paid', number, '--yes'])
    const refund = (...more: string[]) => place.cli(['orders', 'refund', number, '--yes', ...more])
    expect((await refund('--amount', '8901')).err).toContain('1 to 8900')
    expect((await refund('--amount', '900', '--reason', 'duplicate')).out).toBe(`${number} has a refund of 900\n`)
    expect(await statusOf(number)).toBe('partially_refunded')
    expect((await refund()).out).toContain('has a refund of 8000: the whole amount')
    expect((await refund()).exitCode).toBe(1)
    expect(await statusOf(number)).toBe('refunded')
  })

  test('a checkout is cancelled after a yes, and stays open without one', async () => {
    const number = await buy()
    expect((await place.cli(['orders', 'cancel', number])).exitCode).toBe(2)
    expect((await place.cli(['orders', 'cancel', number], { answers: ['n'] })).exitCode).toBe(1)
    expect(await statusOf(number)).toBe('pending')
    expect((await place.cli(['orders', 'cancel', number], { answers: ['y'] })).out).toBe(`${number} is cancelled\n`)
    expect((await place.cli(['orders', 'mark-paid', number, '--yes'])).err).toContain('canceled')
  })

  test.each([
    [['orders', 'show', 'nonsense'], 2, 'neither a number'],
    [['orders', 'show', '2026-999999'], 1, 'does not exist'],
    [['orders', 'refund', '2026-000001', '--amount', '1.5', '--yes'], 2, 'whole number'],
    [['orders', 'list', '--limit', '0'], 2, 'from 1 to 1000'],
  ])('%o is refused in words', async (args, exitCode, words) => {
    expect(await place.cli(args)).toMatchObject({ exitCode, err: expect.stringContaining(words) })
  })
})
