import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId, toPublicId } from '../../../src/base/ids.ts'
import { operationCommands } from '../../../src/operate/cli/call/operationCommands.ts'
import { operationsIn, resources } from '../../../src/school/index.ts'
import { platformOperations } from '../../../src/school/intake/platformOperations.ts'
import { newEvent } from '../../support/community.ts'
import { newProduct } from '../../support/shop.ts'
import { type Place, placesToTest } from './cli.ts'
import { describedCommands } from './examples.ts'

const [where] = await placesToTest()
const operations = operationsIn(resources)

test('every operation has a command with an example, except for the upload of a file', () => {
  const described = describedCommands(operationCommands()).filter(({ path }) => path[0] === 'call' && path.length === 2)
  const ids = [...platformOperations, ...operations].map(({ id }) => id)
  expect(described.map(({ path }) => path[1]).toSorted()).toEqual(ids.filter((id) => id !== 'uploadFile').toSorted())
  for (const { path, examples } of described) expect(examples[0]?.line).toMatch(new RegExp(`^${path.join(' ')}( |$)`))
})

describe('with a school', () => {
  let place: Place
  let schoolId: string
  let item: string
  const owner = 'hazel@example.org'
  beforeAll(async () => {
    place = await (where as { open(): Promise<Place> }).open()
    schoolId = place.service.app.schools.all[0]?.school.id as string
    item = toPublicId('dgp', await newProduct(place.service.database.sql, schoolId, { price: 3900 }))
    const create = ['people', 'create', owner, '--name', 'Hazel', '--role', 'owner', '--password-stdin']
    expect(await place.cli(create, { input: 'seven lanterns in the fog\n' })).toMatchObject({ exitCode: 0 })
  })
  afterAll(() => place.stop())

  const call = (...words: string[]) => place.cli(['call', ...words])
  const done = async (...words: string[]) => {
    const outcome = await call(...words)
    expect(outcome, outcome.err).toMatchObject({ exitCode: 0 })
    return outcome
  }
  const items = () => JSON.stringify([{ type: 'digital_product', id: item }])
  const order = async (buyer: string, ...more: string[]): Promise<string> => {
    const words = ['createOrder', '--buyer-email', buyer, '--items', items(), ...more, '--yes', '--json']
    return (await done(...words)).json().number
  }
  const audited = async (event: string) =>
    place.service.database.sql.query('SELECT account_id, details FROM audit_log WHERE school_id = $1 AND event = $2 ORDER BY id', [
      schoolId,
      event,
    ])

  test('an order is reported, declined, paid once, refunded once per reference, and shown', async () => {
    const number = await order('wren@example.org', '--expected-total', '3900', '--reference', 'cart 1')
    expect(await order('wren@example.org', '--expected-total', '3900', '--reference', 'cart 1')).toBe(number)
    expect((await done('failOrder', number, '--failure-code', 'card_declined', '--yes')).out).toMatch(/^status +failed$/m)
    const pay = ['payOrder', number, '--reference', 'pi_1', '--amount', '3900', '--currency', 'EUR', '--card-last4', '4242', '--yes']
    expect((await done(...pay)).out).toMatch(/^total +3900 EUR$/m)
    await done(...pay)
    expect(await audited('operator.order_paid')).toMatchObject([{ details: { order: number, reference: 'pi_1', operator: 'ops' } }])
    const refund = ['refundOrder', number, '--amount', '1000', '--reference', 're_1', '--yes']
    for (const outcome of await Promise.all([done(...refund), done(...refund)])) expect(outcome.out).toContain('partially_refunded')
    expect(await call('refundOrder', number, '--amount', '2000', '--reference', 're_1', '--yes')).toMatchObject({ exitCode: 1, out: '' })
    expect((await done('getOrder', number, '--json')).json()).toMatchObject({ number, refunded_total: { amount: 1000, currency: 'EUR' } })
    expect(await audited('operator.order_refunded')).toHaveLength(1)
  })

  test('a change asks, needs --yes without a terminal, and changes nothing in a dry run', async () => {
    const number = await order('ada@example.org')
    const statusOf = async () => (await done('getOrder', number, '--json')).json().status
    expect(await call('cancelOrder', number)).toMatchObject({ exitCode: 2, out: '' })
    const refused = await place.cli(['call', 'cancelOrder', number], { answers: ['n'] })
    expect(refused).toMatchObject({ exitCode: 1, err: expect.stringContaining(`Call cancelOrder ${number} of first? [y/N]`) })
    expect((await done('cancelOrder', number, '--dry-run')).out).toMatch(/^orders +0 +1 +0$/m)
    expect(await statusOf()).toBe('pending')
    await place.cli(['call', 'cancelOrder', number], { answers: ['y'] })
    expect(await statusOf()).toBe('canceled')
  })

  test('a list is a table, says that there is more, and is printed as a whole with --all', async () => {
    const numbers = [await order('kit@example.org'), await order('kit@example.org'), await order('kit@example.org')]
    const page = await done('listOrders', '--limit', '2', '--email', 'kit@example.org')
    expect(page.out).toMatch(/^ID +NUMBER +STATUS +KIND +TOTAL /)
    expect(page.out.split('\n')).toHaveLength(4)
    const [, cursor = ''] = /add --all, or --cursor (\S+)\n$/.exec(page.err) ?? []
    const rest = await done('listOrders', '--limit', '2', '--email', 'kit@example.org', '--cursor', cursor, '--json')
    expect(rest.json()[0].number).toBe(numbers[0])
    const all = (await done('listOrders', '--all', '--status', 'pending,paid', '--json')).json()
    expect(all.map(({ number }: { number: string }) => number)).toEqual(expect.arrayContaining(numbers))
    expect((await done('listOrders', '--fields', 'number,total.amount', '--limit', '1')).out).toMatch(
      /^NUMBER +TOTAL\.AMOUNT\n\S+ +3900\n$/,
    )
    expect((await done('listOrders', '--status', 'expired')).out).toBe('no rows\n')
  })

  test('with --as an operation changes rows in the name of a person, and the audit trail names the operator', async () => {
    const words = ['createCourse', '--title', 'Salt Glazing', '--access', 'paid', '--price-amount', '4900', '--price-currency', 'EUR']
    expect(await call(...words, '--yes')).toMatchObject({ exitCode: 2, err: expect.stringContaining('--as') })
    const { id, price } = (await done(...words, '--as', owner, '--yes', '--json')).json()
    expect(price).toEqual({ amount: 4900, currency: 'EUR' })
    const [entry] = await audited('course.created')
    expect(entry).toMatchObject({ details: { operation: 'createCourse', operator: 'ops', role: 'owner' } })
    expect(entry?.account_id).not.toBe(null)
    const { sql } = place.service.database
    const [change] = await sql.query(`SELECT actor_kind FROM change_log WHERE school_id = $1 AND type = 'course' ORDER BY id LIMIT 1`, [
      schoolId,
    ])
    expect(change).toMatchObject({ actor_kind: 'operator' })
    await done('updateCourse', id, '--as', owner, '--data', '{"price":{"amount":1}}', '--price-amount', '5900', '--yes')
    expect((await done('getCourse', id, '--json')).json().price.amount).toBe(5900)
    const sent = await place.cli(['call', 'updateCourse', id, '--as', owner, '--data', '-', '--yes'], { input: '{"capacity":12}' })
    expect(sent).toMatchObject({ exitCode: 0 })
    expect((await done('getCourse', id, '--fields', 'capacity')).out).toMatch(/^capacity +12$/m)
  })

  test('a comment, a form, its submission and seats are reported', async () => {
    const { sql } = place.service.database
    const postId = newId()
    await sql.query(
      `INSERT INTO post (school_id, id, slug, title, kind, status) VALUES ($1, $2, 'first', 'First', 'article', 'published')`,
      [schoolId, postId],
    )
    const subject = ['--subject-type', 'post', '--subject-id', toPublicId('pst', postId)]
    const author = ['--author-email', 'wren@example.org', '--body', 'Which clay?', '--status', 'pending']
    const { id } = (await done('createComment', ...subject, ...author, '--yes', '--json')).json()
    await done('approveComment', id, '--yes')
    expect((await done('listComments', '--status', 'published', '--fields', 'id', '--json')).json()).toMatchObject([{ id }])
    const questions = JSON.stringify([{ key: 'question', label: 'Question', kind: 'text' }])
    await done('saveForm', '--slug', 'ask', '--title', 'Ask', '--status', 'published', '--fields', questions, '--yes')
    const sent = await done('createFormSubmission', '--form', 'ask', '--answers', '{"question":"When?"}', '--yes')
    expect(sent.out).toMatch(/^id +fsb_\w{26}$/m)
    expect((await done('listFormSubmissions')).out).toMatch(/^fsb_\w{26} /m)
    const event = toPublicId('evt', await newEvent(sql, schoolId))
    const seats = ['reserveSeats', '--event-id', event, '--attendee-email', 'wren@example.org', '--guests', '1', '--yes', '--json']
    const rsvp = (await done(...seats)).json()
    expect((await done('releaseSeats', rsvp.id, '--event-id', event, '--yes', '--json')).json().status).toBe('canceled')
  })

  const readable = operations.filter(({ method, path }) => method === 'GET' && !path.includes('{')).map(({ id }) => id)
  test.each(readable)('%s can be called without a person, or says why not', async (id) => {
    const outcome = await call(id)
    expect(outcome.err).not.toMatch(/^\s+at |\bundefined\b|internal/m)
    if (outcome.exitCode !== 0)
      expect(outcome).toMatchObject({ exitCode: expect.any(Number), err: expect.stringMatching(/^schoolgate: .+/) })
  })

  test.each([
    [['listOrder'], 2, 'Did you mean listOrders?'],
    [['listOrders', '--statsu', 'paid'], 2, 'Did you mean --status?'],
    [['listOrders', '--status', 'lost'], 2, 'status'],
    [['listOrders', '--limit', '0'], 2, 'limit'],
    [['getOrder', '2001-000001'], 1, 'There is no such order'],
    [['getOrder'], 2, "missing required argument 'id_or_number'"],
    [['listCourses', '--as', 'nobody@example.org'], 1, 'no login exists'],
    [['createOrder', '--yes'], 2, 'buyer'],
    [['createOrder', '--buyer-email', 'nobody', '--items', 'ITEMS', '--yes'], 2, 'buyer.email'],
    [['createOrder', '--buyer-email', 'a@example.org', '--items', 'nonsense', '--yes'], 2, '--items must be JSON'],
    [['createOrder', '--buyer-email', 'a@example.org', '--items', 'ITEMS', '--coupon-code', 'NOPE', '--yes'], 1, 'unknown code'],
    [['createOrder', '--buyer-email', 'a@example.org', '--items', 'ITEMS', '--expires-in-minutes', '1', '--yes'], 2, 'expires_in_minutes'],
    [['payOrder', 'nonsense', '--amount', '1', '--currency', 'EUR', '--yes'], 2, 'nonsense is not a number, such as 2026-000512'],
    [['payOrder', '2001-000001', '--amount', '1', '--currency', 'EUR', '--yes'], 1, 'no order with this number'],
    [['payOrder', '2001-000001', '--amount', 'x', '--currency', 'EUR', '--yes'], 2, 'amount'],
    [['createComment', '--data', 'nonsense', '--yes'], 2, '--data must be JSON'],
    [['createFormSubmission', '--form', 'nothing', '--answers', '{}', '--yes'], 2, 'form'],
  ])('%j ends with %i and says why in one line', async (words, exitCode, text) => {
    const { err, ...ended } = await call(...words.map((one) => (one === 'ITEMS' ? items() : one)))
    expect([ended.exitCode, err]).toEqual([exitCode, expect.stringContaining(text)])
    expect(err).not.toContain('    at ')
  })
})
