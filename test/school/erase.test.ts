import { beforeAll, expect, test } from 'vitest'
import { fromPublicId, newId } from '../../src/base/ids.ts'
import { demoId } from '../../src/operate/demo/ids.ts'
import { newAccount } from '../support/rows.ts'
import { describeDemo } from './describeDemo.ts'

const as = 'owner@example.com'
const name = 'Zephyrine Quokkaworth'
const email = 'zephyrine@quokkaworth.example'
// Comments contain it with entities for some of its characters.
const shownName = `Zephyrine & "Zed" O'Quill`
const output = `Yours, ${name} <${email}>`

/** Keys, states and figures, which never contain text of a person. */
const structural =
  /^(?!external_id$)(.*_)?(id|status|source|kind|type|role|purpose|currency|mode|provider|collection|tier|locale|time_zone|event|model|uid|before|successor|code|number|reason|country)$/
/** Columns that refer to a person without personal data, each with its reason. */
const spared: Record<string, string> = {
  'orders.invoice_seller': 'the school, as its invoice names it',
  'orders.payment_reference': 'the name of a payment at its provider, needed for refunds',
  'comment.moderation': 'checked by itself below',
  'page_revision.content': 'a page of the school',
  'audit_log.details': 'written by the service from ids and names of operations',
  'audit_log.address': 'the network address of a caller, kept as the operator says',
  'oidc_grant.payload': 'scopes',
  'enrollment.certificate_course_title': 'the title of a course',
  'certificate.course_title': 'the title of a course',
  'account.password_hash': 'goes with the row',
  'idempotency_record.body': 'planted by the answers themselves',
  'undo_capture.table_name': 'empty outside of transactions',
  'undo_capture.row_key': 'empty outside of transactions',
  'undo_capture.before': 'empty outside of transactions',
  'undo_capture.after': 'empty outside of transactions',
}

interface Column {
  table: string
  column: string
  type: string
  owner: string
}

describeDemo('the erasure of a person, on $name', (api) => {
  let person: { publicId: string; id: string; accountId: string }
  beforeAll(async () => {
    const made = await api.send('/api/v1/students', {
      as,
      headers: { 'idempotency-key': 'made-once' },
      body: { email, name, given_name: 'Zephyrine', family_name: 'Quokkaworth', tags: [`friend of ${name}`.slice(0, 40)] },
    })
    const id = fromPublicId('std', made.json.id as string) as string
    const accountId = await newAccount(api.database.sql, api.school.id)
    await query('UPDATE account SET email = $3, name = $4, pending_email = $5 WHERE school_id = $1 AND id = $2', [
      accountId,
      email,
      name,
      `new.${email}`,
    ])
    await query('UPDATE person SET account_id = $3, is_member = true WHERE school_id = $1 AND id = $2', [id, accountId])
    person = { publicId: made.json.id as string, id, accountId }
  })

  const query = <Row extends object = Record<string, unknown>>(text: string, values: readonly unknown[] = []) =>
    api.database.sql.query<Row>(text, [api.school.id, ...values])
  async function insert(table: string, columns: Record<string, unknown>): Promise<string> {
    const row = { id: newId(), ...columns }
    const names = Object.keys(row)
    await query(
      `INSERT INTO "${table}" (school_id, ${names.map((one) => `"${one}"`).join(', ')}) VALUES ($1, ${names.map((_, index) => `$${index + 2}`).join(', ')})`,
      Object.values(row),
    )
    return row.id
  }
  const first = async (table: string, condition = 'true'): Promise<{ id: string; [column: string]: unknown }> =>
    (await query<{ id: string }>(`SELECT * FROM "${table}" WHERE school_id = $1 AND ${condition} ORDER BY id LIMIT 1`))[0] as { id: string }

  /** A row in every table that knows people. */
  async function leaveTraces(): Promise<void> {
    const { id: person_id, accountId: account_id } = person
    await insert('passkey', { account_id, credential_id: newId(), public_key: 'key', name: 'Laptop' })
    await query(`INSERT INTO authenticator_app (school_id, account_id, secret, last_step) VALUES ($1, $2, 'secret', 0)`, [account_id])
    await query(`INSERT INTO recovery_code (school_id, account_id, hash) VALUES ($1, $2, 'hash')`, [account_id])
    await query(`INSERT INTO calendar_feed (school_id, account_id, token_hash, sealed_token) VALUES ($1, $2, 'hash', 'sealed')`, [
      account_id,
    ])
    const lesson = await first('lesson')
    const course_id = lesson.course_id as string
    const money = { currency: 'EUR', total_amount: 8900, subtotal_amount: 8900 }
    const enrollment_id = await insert('enrollment', { person_id, course_id, source: 'manual' })
    const issued = { completed_at: new Date(), issued_at: new Date(), holder_name: name, course_title: 'Clay' }
    await insert('certificate', { person_id, course_id, enrollment_id, number: '7QW3KD9XHM2TB5ZE', ...issued })
    await insert('lesson_progress', { person_id, course_id, enrollment_id, lesson_id: lesson.id })
    await insert('quiz_attempt', {
      person_id,
      enrollment_id,
      lesson_id: lesson.id,
      attempt_no: 1,
      score_bps: 5000,
      passed: false,
      answers: '{}',
    })
    await insert('entitlement', { person_id, product_type: 'course', product_id: course_id, source_type: 'manual', source_id: newId() })
    for (const [number, buyer] of [
      ['9999-000001', person_id],
      ['9999-000002', null],
    ] as const) {
      await insert('orders', {
        ...money,
        number,
        kind: 'one_time',
        status: 'paid',
        tax_mode: 'none',
        person_id: buyer,
        buyer_name: name,
        buyer_email: email,
      })
    }
    const event_id = await insert('event', {
      slug: newId(),
      title: 'Kiln day',
      kind: 'online',
      starts_at: new Date(),
      ends_at: new Date(),
      time_zone: 'UTC',
    })
    await insert('rsvp', { person_id, event_id, status: 'going' })
    const plan_id = await insert('membership_plan', { slug: newId(), name: 'Bench', status: 'active', subscribers_count: 1 })
    const price_id = await insert('plan_price', { plan_id, interval: 'month', amount: 900, currency: 'EUR' })
    await insert('subscription', { person_id, plan_id, price_id, status: 'active', collection: 'manual', amount: 900, currency: 'EUR' })
    const coupon_id = await insert('coupon', {
      code: newId().toUpperCase(),
      discount_type: 'percent',
      percent_bps: 1000,
      audience: JSON.stringify({ person_ids: [person.publicId, newId()] }),
    })
    await insert('coupon_redemption', {
      coupon_id,
      person_id,
      person_seq: 1,
      product_type: 'course',
      product_id: course_id,
      amount_off: 100,
      currency: 'EUR',
      status: 'confirmed',
    })
    const post_id = await insert('post', { slug: newId(), title: 'News' })
    await insert('comment', { person_id, subject_type: 'post', subject_id: post_id })
    const product_id = await insert('digital_product', { slug: newId(), title: 'Glaze book', kind: 'ebook', access: 'free' })
    await insert('product_grant', { person_id, product_id, source: 'manual' })
    const form_id = await insert('form', { slug: newId(), title: 'Contact' })
    for (const by of [person_id, null]) await insert('form_submission', { form_id, form_version: 1, answers: '{}', person_id: by, email })
    await insert('staff', { person_id, role: 'lecturer', status: 'removed' })
    await insert('mailed_link', { purpose: 'sign_up', email, account_id: null, expires_at: new Date(Date.now() + 60_000) })
    await insert('mailed_link', { purpose: 'password_reset', email, account_id, expires_at: new Date(Date.now() + 60_000) })
    await insert('oidc_grant', { account_id, client_id: 'cli_test', payload: '{}', expires_at: new Date(Date.now() + 60_000) })
    await query(
      `INSERT INTO grant_use (school_id, grant_id, day, operation, calls, rows, refused)
       SELECT school_id, id, now()::date, $3, 1, 1, 0 FROM oidc_grant WHERE school_id = $1 AND account_id = $2`,
      [person.accountId, output],
    )
    await insert('oidc_artifact', {
      model: 'Session',
      account_id,
      payload: JSON.stringify({ note: output }),
      expires_at: new Date(Date.now() + 60_000),
    })
    const page = await first('page')
    await query('INSERT INTO page_revision (school_id, page_id, number, event, account_id, content) VALUES ($1, $2, 99, $3, $4, $5)', [
      page.id,
      'updated',
      account_id,
      '{}',
    ])
    await insert('audit_log', { event: 'test.noted', account_id })
    const file = {
      filename: `${name}.png`,
      content_type: 'image/png',
      bytes: 1,
      purpose: 'avatar',
      visibility: 'public',
      alt: output,
      uploaded_by: account_id,
    }
    const avatar = await insert('file', { ...file, storage_key: newId() })
    await query('UPDATE person SET avatar_file_id = $3 WHERE school_id = $1 AND id = $2', [person_id, avatar])
  }

  /** The columns that can contain texts by a person or about them. */
  async function wordColumns(): Promise<Column[]> {
    const columns = await api.database.sql.query<Column>(
      `SELECT c.table_name AS "table", c.column_name AS "column", c.udt_name AS type,
              CASE WHEN c.table_name IN ('person', 'account') THEN 'id' ELSE own.column_name END AS owner
         FROM information_schema.columns c
         JOIN information_schema.columns own ON own.table_schema = c.table_schema AND own.table_name = c.table_name
          AND (own.column_name IN ('person_id', 'account_id') AND c.table_name NOT IN ('person', 'account')
               OR c.table_name IN ('person', 'account') AND own.column_name = 'id')
        WHERE c.table_schema = 'public' AND c.udt_name IN ('text', 'jsonb', '_text') ORDER BY 1, 2`,
    )
    return columns.filter(({ table, column }) => !structural.test(column) && spared[`${table}.${column}`] === undefined)
  }

  async function plant(): Promise<string[]> {
    const planted: string[] = []
    for (const { table, column, type, owner } of await wordColumns()) {
      const value =
        type === 'jsonb'
          ? `jsonb_build_object('text', $3::text)`
          : type === '_text'
            ? 'ARRAY[$3::text]'
            : /email/.test(column)
              ? '$3::text'
              : '$3::text'
      const text = /email/.test(column) ? (table === 'account' && column === 'pending_email' ? `new.${email}` : email) : output
      const id = owner === 'account_id' || table === 'account' ? person.accountId : person.id
      const rows = await query(`UPDATE "${table}" SET "${column}" = ${value} WHERE school_id = $1 AND "${owner}"::text = $2 RETURNING 1`, [
        id,
        text,
      ])
      if (rows.length > 0) planted.push(`${table}.${column}`)
      else throw new Error(`${table} has no row of the person: leave one in leaveTraces()`)
    }
    await query('UPDATE person SET name = $3, display_name = $4 WHERE school_id = $1 AND id = $2', [person.id, name, shownName])
    await query(`UPDATE account SET name = $3 WHERE school_id = $1 AND id = $2`, [person.accountId, name])
    await query(`UPDATE comment SET body_html = $3, moderation = $4 WHERE school_id = $1 AND person_id = $2`, [
      person.id,
      `<p>Good point.</p><p>Yours, ${name} &lt;${email}&gt;</p><p>${shownName.replace('&', '&amp;')}</p>`,
      JSON.stringify({ by: newId(), reason: output }),
    ])
    await query(
      `INSERT INTO comment (school_id, id, subject_type, subject_id, parent_id, author_role, body, body_html, status)
       SELECT school_id, gen_random_uuid(), subject_type, subject_id, id, 'member', $3, $4, 'published'
         FROM comment WHERE school_id = $1 AND person_id = $2`,
      [person.id, `Thank you, ${name.toUpperCase()}! Write to ${email}.`, `<p>Thank you, ${name.toUpperCase()}! Write to ${email}.</p>`],
    )
    return planted
  }

  /** Returns the tables in which any column of a row still contains the name or the address. */
  async function tablesWithTraces(): Promise<string[]> {
    const tables = await api.database.sql.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`,
    )
    const found: string[] = []
    for (const table of tables) {
      const rows = await api.database.sql.query<{ row: string }>(
        `SELECT t::text AS row FROM "${table.name}" t WHERE t::text ILIKE '%quokkaworth%' OR t::text ILIKE '%zephyrine%' LIMIT 1`,
      )
      if (rows[0]) found.push(`${table.name}: ${rows[0].row.slice(0, 300)}`)
    }
    return found
  }

  const sums = async () =>
    (
      await query(
        "SELECT count(*)::int AS orders, sum(total_amount)::text AS total FROM orders WHERE school_id = $1 AND number LIKE '9999%'",
      )
    )[0]

  test('a person with a paid subscription is kept unless it is cancelled too', async () => {
    await leaveTraces()
    const refused = await api.send(`/api/v1/students/${person.publicId}`, { as, method: 'DELETE' })
    expect([refused.status, refused.json.error]).toEqual([409, 'active_subscription'])
  })

  test('leaves no byte of name and address in any table, and every order where it was', async () => {
    const planted = await plant()
    expect(planted).toEqual(
      expect.arrayContaining([
        'person.phone',
        'person.bio',
        'orders.buyer_name',
        'orders.billing_address',
        'comment.body',
        'form_submission.answers',
        'subscription.metadata',
        'rsvp.note',
      ]),
    )
    const before = await sums()
    expect((await tablesWithTraces()).length).toBeGreaterThan(10)
    const erased = await api.send(`/api/v1/students/${person.publicId}?cancel_subscriptions=true`, { as, method: 'DELETE' })
    expect([erased.status, erased.text]).toEqual([204, ''])
    expect(await tablesWithTraces()).toEqual([])
    expect(await sums()).toEqual(before)
  })

  test('leaves a row without personal data: no sign-in, no access, no e-mail', async () => {
    const { json } = await api.get(`/api/v1/students/${person.publicId}`, { as })
    expect(json).toMatchObject({ name: 'Deleted person', status: 'erased', tags: [], has_account: false, phone: null, avatar: null })
    expect(json.email).toMatch(/@deleted\.invalid$/)
    expect(await query('SELECT 1 FROM account WHERE school_id = $1 AND id = $2', [person.accountId])).toEqual([])
    expect(
      await query('SELECT 1 FROM oidc_grant WHERE school_id = $1 AND account_id = $2 AND revoked_at IS NULL', [person.accountId]),
    ).toEqual([])
    expect(await query("SELECT 1 FROM subscription WHERE school_id = $1 AND person_id = $2 AND status <> 'canceled'", [person.id])).toEqual(
      [],
    )
    const [comment] = await query<{ person_id: null; body: string; body_html: string }>(
      "SELECT person_id, body, body_html FROM comment WHERE school_id = $1 AND subject_type = 'post' AND parent_id IS NULL",
    )
    expect(comment).toEqual({
      person_id: null,
      body: 'Yours, [removed] <[removed]>',
      body_html: '<p>Good point.</p><p>Yours, [removed] &lt;[removed]&gt;</p><p>[removed]</p>',
    })
    expect(await query("SELECT body FROM comment WHERE school_id = $1 AND subject_type = 'post' AND parent_id IS NOT NULL")).toEqual([
      { body: 'Thank you, [removed]! Write to [removed].' },
    ])
    const [coupon] = await query<{ left: number }>(
      "SELECT jsonb_array_length(audience -> 'person_ids') AS left FROM coupon WHERE school_id = $1 AND audience ? 'person_ids'",
    )
    expect(coupon?.left).toBe(1)
    const noted = await query<{ type: string }>(
      "SELECT type FROM change_log WHERE school_id = $1 AND resource_id = $2 AND action = 'deleted' ORDER BY 1",
      [person.id],
    )
    expect(noted.map(({ type }) => type)).toEqual(['member', 'student'])
  })

  test('an idempotency key stays used, and its stored response is emptied', async () => {
    const again = await api.send('/api/v1/students', {
      as,
      headers: { 'idempotency-key': 'made-once' },
      body: { email, name, given_name: 'Zephyrine', family_name: 'Quokkaworth', tags: [`friend of ${name}`.slice(0, 40)] },
    })
    expect([again.status, again.text.includes('Quokka')]).toEqual([404, false])
  })

  test('a second time has no effect, and the remaining row cannot be changed', async () => {
    const tag = (await api.get(`/api/v1/students/${person.publicId}`, { as })).headers.get('etag')
    expect((await api.send(`/api/v1/students/${person.publicId}`, { as, method: 'DELETE' })).status).toBe(204)
    expect((await api.get(`/api/v1/students/${person.publicId}`, { as })).headers.get('etag')).toBe(tag)
    const change = await api.send(`/api/v1/students/${person.publicId}`, { as, method: 'PATCH', body: { name } })
    expect([change.status, change.json.error]).toEqual([409, 'invalid_state'])
  })

  test('owners erase anybody but themselves; admins erase anybody but staff', async () => {
    await query('UPDATE person SET is_student = true WHERE school_id = $1 AND email IN ($2, $3)', [as, 'lecturer2@example.com'])
    const idOf = async (address: string) =>
      ((await api.get(`/api/v1/students?email=${address}`, { as })).json.data as { id: string }[])[0]?.id
    const erase = async (address: string, by: string) =>
      (await api.send(`/api/v1/students/${await idOf(address)}`, { as: by, method: 'DELETE' })).json.error ?? 'erased'
    expect(await erase(as, as)).toBe('self_change')
    expect(await erase(as, 'admin1@example.com')).toBe('access_denied')
    expect(await erase('lecturer2@example.com', 'admin1@example.com')).toBe('access_denied')
    expect(await erase('lecturer2@example.com', as)).toBe('erased')
    expect(await first('staff', `person_id = '${demoId(api.school.id, 'person', 0)}'`)).toMatchObject({ status: 'active' })
  })
})
