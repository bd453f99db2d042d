import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, toPublicId } from '../../src/base/ids.ts'
import type { Database } from '../../src/database/connection/database.ts'
import { newPost } from '../support/community.ts'
import { embeddedDatabase, migrationsDirectory } from '../support/databases.ts'
import { newFile } from '../support/files.ts'
import { newSchool } from '../support/rows.ts'
import { newCourse, newPerson } from '../support/shop.ts'

let database: Database
beforeAll(async () => {
  database = await embeddedDatabase()
})
afterAll(() => database.close())

/** Runs the statements of a migration that change or add rows, on rows as an earlier release stored them. */
async function runUpdates(name: string): Promise<void> {
  const text = await readFile(join(migrationsDirectory, name, 'migration.sql'), 'utf8')
  const statements = text.split(/;\n/).filter((statement) => /^(UPDATE|INSERT INTO) /m.test(statement))
  expect(statements.length).toBeGreaterThan(0)
  for (const statement of statements) await database.sql.query(statement)
}

test('excerpts that an earlier release made from the text of gated posts are hidden, and those of authors stay', async () => {
  const { sql } = database
  const schoolId = await newSchool(sql)
  const text = 'Zoom link for **members**: "https://zoom.example.com/j/1" & passcode 4711. '.repeat(5).trim()
  const made = 'Zoom link for members: "https://zoom.example.com/j/1" & passcode 4711. Zoom link for members…'
  const excerpts: Record<string, [visibility: string, excerpt: string]> = {
    gatedMade: ['paid', made],
    gatedShort: ['members', 'Zoom link for members: "https://zoom.example.com/j/1" & passcode 4711.'],
    gatedWritten: ['plans', 'This week we meet online.'],
    publicMade: ['public', made],
    publicWritten: ['public', 'This week we meet online.'],
  }
  const ids = new Map<string, string>()
  for (const [name, [visibility, excerpt]] of Object.entries(excerpts)) {
    const id = await newPost(sql, schoolId, { visibility, text })
    ids.set(name, id)
    await sql.query('UPDATE post SET excerpt = $3 WHERE school_id = $1 AND id = $2', [schoolId, id, excerpt])
    await sql.query('UPDATE post_body SET content_html = $3 WHERE school_id = $1 AND post_id = $2', [
      schoolId,
      id,
      `<p>${text.replaceAll('**members**', '<strong>members</strong>').replaceAll('"', '&quot;').replaceAll('& ', '&amp; ')}</p>`,
    ])
  }
  await runUpdates('20261122093000_automatic_excerpts')
  const found: Record<string, unknown> = {}
  for (const [name, id] of ids) {
    const [row] = await sql.query<{ excerpt: string | null; automatic_excerpt: string }>(
      'SELECT excerpt, automatic_excerpt FROM post WHERE school_id = $1 AND id = $2',
      [schoolId, id],
    )
    found[name] = [row?.excerpt, row?.automatic_excerpt]
  }
  expect(found).toEqual({
    gatedMade: [null, made],
    gatedShort: [null, excerpts.gatedShort?.[1]],
    gatedWritten: ['This week we meet online.', ''],
    publicMade: [null, made],
    publicWritten: ['This week we meet online.', ''],
  })
})

test('refunds of an earlier release are divided over the lines: the parts of a refund add up to it, those of a line to the line and its tax', async () => {
  const { sql } = database
  const schoolId = await newSchool(sql)
  const [orderId, ...itemIds] = Array.from({ length: 4 }, () => newId())
  await sql.query(
    `INSERT INTO orders (school_id, id, number, status, kind, buyer_name, buyer_email, currency, subtotal_amount, total_amount, tax_amount, refunded_amount, tax_mode, refunded_at)
     VALUES ($1, $2, '2025-000001', 'refunded', 'one_time', 'Wren', 'wren@example.org', 'EUR', 1000, 1000, 160, 1000, 'inclusive', '2025-05-01')`,
    [schoolId, orderId],
  )
  for (const [position, [total, tax]] of [
    [333, 53],
    [0, 0],
    [667, 107],
  ].entries()) {
    await sql.query(
      `INSERT INTO order_item (school_id, id, order_id, position, product_type, product_id, title, currency, unit_amount, total_amount, tax_amount, refunded_amount)
       VALUES ($1, $2, $3, $4, 'course', $2, 'Salt Glazing', 'EUR', $5, $5, $6, $5)`,
      [schoolId, itemIds[position], orderId, position, total, tax],
    )
  }
  for (const amount of [100, 500, 400]) {
    await sql.query(`INSERT INTO refund (school_id, id, order_id, amount, currency, reason) VALUES ($1, $2, $3, $4, 'EUR', 'other')`, [
      schoolId,
      newId(),
      orderId,
      amount,
    ])
  }
  await runUpdates('20261123030533_refund_lines')
  expect(
    await sql.query(
      `SELECT r.amount::int, r.tax_amount::int AS tax, array_agg(p.amount::int ORDER BY i.position) AS parts FROM refund r
         JOIN refund_item p ON p.refund_id = r.id JOIN order_item i ON i.id = p.order_item_id WHERE r.order_id = $1 GROUP BY r.id, r.amount, r.tax_amount ORDER BY r.id`,
      [orderId],
    ),
  ).toEqual([
    { amount: 100, tax: 16, parts: [100] },
    { amount: 500, tax: 80, parts: [233, 267] },
    { amount: 400, tax: 64, parts: [400] },
  ])
  expect(
    await sql.query(
      `SELECT refunded_tax_amount::int AS tax, refunded_at IS NOT NULL AS ended FROM order_item WHERE order_id = $1 ORDER BY position`,
      [orderId],
    ),
  ).toEqual([
    { tax: 53, ended: true },
    { tax: 0, ended: true },
    { tax: 107, ended: true },
  ])
  expect(await sql.query('SELECT refunded_tax_amount::int AS tax FROM orders WHERE id = $1', [orderId])).toEqual([{ tax: 160 }])
})

test('certificates in the columns of enrolments become rows: what was reset stays revoked, and a second completion can get its own', async () => {
  const { sql } = database
  const schoolId = await newSchool(sql)
  const first = '2026-01-05T10:00:00.000Z'
  const later = '2026-06-05T10:00:00.000Z'
  const [title, name] = ['Clay', 'Ada']
  const before: Record<string, [completed: string | null, issued: string | null, title: string | null, name: string | null]> = {
    plain: [first, first, title, name],
    requested: [first, later, title, name],
    repeated: [later, first, title, name],
    reset: [null, first, title, name],
    withoutFacts: [first, null, null, null],
  }
  const numbers = new Map<string, string>()
  for (const [at, [key, values]] of Object.entries(before).entries()) {
    const [course, person, enrollment] = [await newCourse(sql, schoolId), await newPerson(sql, schoolId), newId()]
    numbers.set(`CERTIFICATE00000${at}`, key)
    await sql.query(
      `INSERT INTO enrollment (school_id, id, course_id, person_id, source, updated_at, certificate_number,
                               completed_at, certificate_issued_at, certificate_course_title, certificate_holder_name)
       VALUES ($1, $2, $3, $4, 'manual', '2026-07-01', $5, $6, $7, $8, $9)`,
      [schoolId, enrollment, course, person, `CERTIFICATE00000${at}`, ...values],
    )
  }
  const migration = await readFile(join(migrationsDirectory, '20261128070058_certificates_of_before', 'migration.sql'), 'utf8')
  // An interrupted migration runs again.
  for (let run = 0; run < 2; run++) await sql.query(migration)
  const rows = await sql.query<{ number: string }>(
    `SELECT number, completed_at, issued_at, course_title, holder_name, revoked_at IS NOT NULL AS revoked FROM certificate WHERE school_id = $1`,
    [schoolId],
  )
  const [atFirst, atLater] = [new Date(first), new Date(later)]
  const stated = { course_title: title, holder_name: name, revoked: false }
  expect(Object.fromEntries(rows.map(({ number, ...row }) => [numbers.get(number), row]))).toEqual({
    plain: { completed_at: atFirst, issued_at: atFirst, ...stated },
    requested: { completed_at: atFirst, issued_at: atLater, ...stated },
    repeated: { completed_at: atFirst, issued_at: atFirst, ...stated },
    reset: { completed_at: atFirst, issued_at: atFirst, ...stated, revoked: true },
    withoutFacts: {
      completed_at: atFirst,
      issued_at: atFirst,
      course_title: expect.any(String),
      holder_name: expect.any(String),
      revoked: false,
    },
  })
})

test('counts below zero become zero, and a copied course has as many places as people who take it', async () => {
  const { sql } = database
  const schoolId = await newSchool(sql)
  const [course, copy, person] = [newId(), newId(), newId()]
  for (const table of ['course', 'person']) await sql.query(`ALTER TABLE ${table} DROP CONSTRAINT ${table}_counters`)
  for (const id of [course, copy])
    await sql.query(
      `INSERT INTO course (school_id, id, slug, title, language, enrollments_count, lessons_count) VALUES ($1, $2, $3, 'Clay', 'en', 108, -1)`,
      [schoolId, id, `clay-${id}`],
    )
  await sql.query(
    `INSERT INTO person (school_id, id, email, name, comments_count, rsvps_count) VALUES ($1, $2, 'wren@example.org', 'Wren', -3, 2)`,
    [schoolId, person],
  )
  await sql.query(`INSERT INTO enrollment (school_id, id, person_id, course_id, source) VALUES ($1, $2, $2, $3, 'self')`, [
    schoolId,
    person,
    course,
  ])
  await database.alone(await readFile(join(migrationsDirectory, '20261128071001_counters_repaired', 'migration.sql'), 'utf8'))
  expect(await sql.query('SELECT id, enrollments_count, lessons_count FROM course WHERE school_id = $1 ORDER BY id', [schoolId])).toEqual([
    { id: course, enrollments_count: 1, lessons_count: 0 },
    { id: copy, enrollments_count: 0, lessons_count: 0 },
  ])
  expect(await sql.query('SELECT comments_count, rsvps_count FROM person WHERE school_id = $1', [schoolId])).toEqual([
    { comments_count: 0, rsvps_count: 2 },
  ])
})

test('files that stored texts name have references, and each picture of a person has one', async () => {
  const { sql } = database
  const schoolId = await newSchool(sql)
  const [file, hidden] = [await newFile(sql, schoolId), await newFile(sql, schoolId, { visibility: 'private' })]
  const text = `Look: ![A kiln](/files/${toPublicId('fil', file)}/kiln.webp) ![No](/files/${toPublicId('fil', hidden)}/kiln.webp)`
  const post = await newPost(sql, schoolId, { text })
  const person = await newPerson(sql, schoolId)
  await sql.query('UPDATE person SET avatar_file_id = $3 WHERE school_id = $1 AND id = $2', [schoolId, person, file])
  await sql.query('DELETE FROM file_reference WHERE school_id = $1', [schoolId])
  await sql.query("INSERT INTO file_reference (school_id, file_id, ref_type, ref_id, field) VALUES ($1, $2, 'student', $3, 'avatar')", [
    schoolId,
    file,
    person,
  ])
  for (let run = 0; run < 2; run++)
    await sql.query(await readFile(join(migrationsDirectory, '20261128070505_references_of_stored_texts', 'migration.sql'), 'utf8'))
  expect(
    await sql.query('SELECT file_id, ref_type, ref_id, field FROM file_reference WHERE school_id = $1 ORDER BY ref_type', [schoolId]),
  ).toEqual([
    { file_id: file, ref_type: 'member', ref_id: person, field: 'avatar' },
    { file_id: file, ref_type: 'post', ref_id: post, field: 'content' },
  ])
})
