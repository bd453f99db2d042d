import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId, toPublicId } from '../../src/lib/ids.ts'
import { newEvent, newPeople } from '../support/community.ts'
import { newProduct } from '../support/shop.ts'
import { type Place, placesToTest } from './cli.ts'

const [where] = await placesToTest()

describe('reports of other systems, by command', () => {
  let place: Place
  let schoolId: string
  let item: string
  beforeAll(async () => {
    place = await (where as { open(): Promise<Place> }).open()
    schoolId = place.service.app.schools.all[0]?.school.id as string
    item = toPublicId('dgp', await newProduct(place.service.database.sql, schoolId, { price: 3900 }))
  })
  afterAll(() => place.stop())

  const create = (...more: string[]) => place.cli(['orders', 'create', '--item', item, ...more])

  test('an order is created, declined, paid once and refunded', async () => {
    const made = await create('--buyer', 'wren@example.org', '--expected-total', '3900', '--reference', 'cart 1')
    expect(made).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^\d{4}-\d{6} pending 3900 EUR\n$/) })
    expect((await create('--buyer', 'wren@example.org', '--expected-total', '3900', '--reference', 'cart 1')).out).toBe(made.out)
    const number = made.out.split(' ')[0] as string
    expect((await place.cli(['orders', 'fail', number, '--code', 'card_declined'])).out).toBe(`${number} failed 3900 EUR\n`)
    const pay = ['orders', 'pay', number, '--reference', 'pi_1', '--amount', '3900']
    expect((await place.cli(pay)).out).toBe(`${number} paid 3900 EUR\n`)
    expect(await place.cli(pay)).toMatchObject({ exitCode: 0, out: `${number} paid 3900 EUR\n` })
    expect((await place.cli(['orders', 'refund', number, '--yes'])).out).toContain('the access is revoked')
    const [entry] = await place.service.database.sql.query(
      `SELECT details FROM audit_log WHERE school_id = $1 AND event = 'platform.order_paid'`,
      [schoolId],
    )
    expect(entry).toMatchObject({ details: { order: number, reference: 'pi_1', operator: 'ops' } })
  })

  test('a refund and a cancellation with a reference are recorded once, and another one with the same reference is refused', async () => {
    const number = (await create('--buyer', 'wren@example.org')).out.split(' ')[0] as string
    await place.cli(['orders', 'pay', number, '--reference', 'pi_2', '--amount', '3900', '--card-brand', 'visa', '--card-last4', '4242'])
    const refund = (...more: string[]) => place.cli(['orders', 'refund', number, '--yes', ...more])
    const parts = ['--amount', '1000', '--reference', 're_1']
    const outcomes = await Promise.all([refund(...parts), refund(...parts)])
    for (const outcome of [...outcomes, await refund(...parts)])
      expect(outcome).toMatchObject({ exitCode: 0, out: `${number} partially_refunded 3900 EUR\n` })
    const order = (await place.cli(['orders', 'show', number, '--json'])).json()
    expect(order).toMatchObject({ status: 'partially_refunded', refunded: 1000 })
    expect(await refund('--amount', '2000', '--reference', 're_1')).toMatchObject({ exitCode: 1, out: '' })
    expect(await place.cli(['orders', 'refund', number, '--reference', 're_2'])).toMatchObject({ exitCode: 2, out: '' })
    expect((await place.cli(['orders', 'refund', number, '--reference', 're_2'], { answers: ['n'] })).err).toContain('refund of 2900 EUR')
    expect(await place.cli(['orders', 'refund', order.id, '--reference', 're_2', '--yes'])).toMatchObject({
      exitCode: 0,
      out: `${number} refunded 3900 EUR\n`,
    })
    const cart = (await create('--buyer', 'wren@example.org')).out.split(' ')[0] as string
    const cancel = ['orders', 'cancel', cart, '--yes', '--reference', 'cart 2']
    expect((await place.cli(cancel)).out).toBe(`${cart} canceled 3900 EUR\n`)
    expect((await place.cli(cancel)).out).toBe(`${cart} canceled 3900 EUR\n`)
    const { sql } = place.service.database
    const reports = await sql.query(
      `SELECT details ->> 'reference' AS reference FROM audit_log WHERE event LIKE 'platform.order_%' ORDER BY id`,
    )
    expect(reports.map(({ reference }) => reference)).toEqual(expect.arrayContaining(['pi_2', 're_1', 're_2', 'cart 2']))
    expect(reports.filter(({ reference }) => reference === 're_1')).toHaveLength(1)
  })

  test('seats that were sold elsewhere are taken once and released once, and the waitlist gets them with an e-mail', async () => {
    const { sql } = place.service.database
    const eventId = await newEvent(sql, schoolId)
    await sql.query('UPDATE event SET capacity = 2 WHERE school_id = $1 AND id = $2', [schoolId, eventId])
    const event = toPublicId('evt', eventId)
    const reserve = (...more: string[]) => place.cli(['seats', 'reserve', event, '--attendee', 'wren@example.org', ...more])
    const sold = await reserve('--guests', '1', '--note', 'Ticket 4711', '--reference', 'ticket-4711')
    expect(sold, sold.err).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^rsv_\w{26} going\n$/) })
    expect(await reserve('--guests', '1', '--note', 'Ticket 4711', '--reference', 'ticket-4711')).toMatchObject({
      exitCode: 0,
      out: sold.out,
    })
    const full = await place.cli(['seats', 'reserve', event, '--attendee', 'ada@example.org'])
    expect(full).toMatchObject({ exitCode: 1, out: '' })
    const counts = async () =>
      (await sql.query('SELECT going_count, waitlisted_count FROM event WHERE school_id = $1 AND id = $2', [schoolId, eventId]))[0]
    expect(await counts()).toEqual({ going_count: 2, waitlisted_count: 0 })
    const [next] = await newPeople(sql, schoolId, 1)
    await sql.query(`INSERT INTO rsvp (school_id, id, event_id, person_id, status) VALUES ($1, $2, $3, $4, 'waitlisted')`, [
      schoolId,
      newId(),
      eventId,
      next?.id,
    ])
    await sql.query('UPDATE event SET waitlisted_count = 1 WHERE school_id = $1 AND id = $2', [schoolId, eventId])
    const rsvp = sold.out.split(' ')[0] as string
    const release = ['seats', 'release', rsvp, '--event', event, '--reference', 'refund-4711']
    const released = await place.cli(release)
    expect(released, released.err).toMatchObject({ exitCode: 0, out: `${rsvp} canceled\n` })
    expect(await place.cli(release)).toMatchObject({ exitCode: 0, out: `${rsvp} canceled\n` })
    expect(await counts()).toEqual({ going_count: 1, waitlisted_count: 0 })
    expect(await sql.query(`SELECT kind FROM outbox WHERE school_id = $1`, [schoolId])).toMatchObject([{ kind: 'email' }])
  })

  test('a comment and a form submission are stored, with the text from the standard input', async () => {
    const { sql } = place.service.database
    const [postId, formId] = [newId(), newId()]
    await sql.query(
      `INSERT INTO post (school_id, id, slug, title, kind, status) VALUES ($1, $2, 'first', 'First', 'article', 'published')`,
      [schoolId, postId],
    )
    const subject = toPublicId('pst', postId)
    const added = await place.cli(['comments', 'add', subject, '--author', 'wren@example.org'], { input: 'Which clay?' })
    expect(added).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^cmt_\w{26} published\n$/) })
    await sql.query(`INSERT INTO form (school_id, id, slug, title, status, fields) VALUES ($1, $2, 'ask', 'Ask', 'published', $3)`, [
      schoolId,
      formId,
      JSON.stringify([{ key: 'question', label: 'Question', kind: 'text', required: true }]),
    ])
    const submitted = await place.cli(['forms', 'submit', 'ask', '--answers', '{"question":"When?"}', '--email', 'wren@example.org'])
    expect(submitted).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^fsb_\w{26}\n$/) })
  })

  test.each([
    [['orders', 'create', '--buyer', 'wren@example.org'], 2, '--item'],
    [['orders', 'create', '--buyer', 'wren@example.org', '--item', 'nonsense'], 2, 'not the id of a course'],
    [['orders', 'create', '--buyer', 'nobody', '--item', 'ITEM'], 2, 'buyer.email'],
    [['orders', 'create', '--buyer', 'a@example.org', '--item', 'ITEM', '--minutes', '1'], 2, 'expires_in_minutes'],
    [['orders', 'create', '--buyer', 'a@example.org', '--item', 'ITEM', '--expected-total', '1.5'], 2, '--expected-total'],
    [['orders', 'create', '--buyer', 'a@example.org', '--item', 'ITEM', '--coupon', 'NOPE'], 1, 'unknown code'],
    [['orders', 'pay', 'nonsense', '--reference', 'x', '--amount', '1'], 2, 'not an order number'],
    [['orders', 'pay', '2001-000001', '--reference', 'x', '--amount', '1'], 1, 'does not exist'],
    [['orders', 'pay', '2001-000001', '--reference', 'x', '--amount', '-1'], 2, '--amount'],
    [['orders', 'fail', 'nonsense'], 2, 'not an order number'],
    [['orders', 'refund', 'nonsense', '--reference', 'x', '--yes'], 2, 'neither a number'],
    [['orders', 'refund', '2001-000001', '--reference', 'x', '--yes', '--amount', '0'], 2, '--amount'],
    [['orders', 'refund', '2001-000001', '--reference', 'x', '--yes'], 1, 'does not exist'],
    [['orders', 'cancel', '2001-000001', '--reference', 'x', '--yes'], 1, 'does not exist'],
    [['orders', 'create', '--buyer', 'a@example.org', '--item', 'ITEM', '--attribution', '[]'], 2, '--attribution must be a JSON object'],
    [['orders', 'create', '--buyer', 'a@example.org', '--item', 'ITEM', '--billing-address', '{"country":"de"}'], 2, 'ISO 3166-1'],
    [['seats', 'reserve', 'nonsense', '--attendee', 'a@example.org'], 2, 'not the id of an event'],
    [['seats', 'reserve', 'evt_01jgwejj00e6srgkpqm2sqf05m', '--attendee', 'nobody'], 2, 'attendee.email'],
    [['seats', 'reserve', 'evt_01jgwejj00e6srgkpqm2sqf05m', '--attendee', 'a@example.org', '--guests', '-1'], 2, '--guests'],
    [['seats', 'reserve', 'evt_01jgwejj00e6srgkpqm2sqf05m', '--attendee', 'a@example.org', '--guests', '21'], 2, 'guests'],
    [['seats', 'reserve', 'evt_01jgwejj00e6srgkpqm2sqf05m', '--attendee', 'a@example.org'], 2, 'event_id'],
    [['seats', 'reserve', 'evt_01jgwejj00e6srgkpqm2sqf05m'], 2, '--attendee'],
    [['seats', 'release', 'nonsense', '--event', 'evt_01jgwejj00e6srgkpqm2sqf05m'], 2, 'not the id of an RSVP'],
    [['seats', 'release', 'rsv_01jgwejj00e6srgkpqm2sqf05m', '--event', 'evt_01jgwejj00e6srgkpqm2sqf05m'], 2, 'event_id'],
    [['comments', 'add', 'nonsense', '--author', 'a@example.org', '--text', 'x'], 2, 'not the id of a post'],
    [['comments', 'add', 'pst_01jgwejj00e6srgkpqm2sqf05m', '--author', 'a@example.org', '--text', 'x'], 2, 'subject'],
    [['forms', 'submit', 'ask', '--answers', 'nonsense'], 2, 'must be a JSON object'],
    [['forms', 'submit', 'nothing', '--answers', '{}'], 2, 'form'],
  ])('%j ends with %i and says why in one line', async (args, exitCode, text) => {
    const { err, ...ended } = await place.cli(args.map((one) => (one === 'ITEM' ? item : one)))
    expect([ended.exitCode, err]).toEqual([exitCode, expect.stringContaining(text)])
    expect(err).not.toContain('    at ')
  })
})
