import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId, toPublicId } from '../../src/lib/ids.ts'
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
