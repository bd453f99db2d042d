// Proves GDPR articles 15 and 20: The export of a student names a list or a reason for every table that refers to people; the export of the account covers every table with a foreign key to a person, an account or a lecturer

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newId, toPublicId } from '../../../src/base/ids.ts'
import { personalData, personalSections } from '../../../src/school/account/personalData.ts'
import { memberExport, studentExport } from '../../../src/school/account/personExports.ts'
import { exportedTables } from '../../../src/school/students/exportPerson.ts'
import { allScopes, createAgent, personCalled, withToken } from '../../support/agent.ts'
import { newComment } from '../../support/community.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startService } from '../../support/service.ts'
import { newOrder } from '../../support/shop.ts'
import { send, signedIn } from './account.ts'

const service = duringTests(() => startService())

test('the export covers every table with data of a person, or says why it does not', async () => {
  const tables = await service.database.sql.query<{ table_name: string; columns: string[] }>(
    `SELECT table_name, array_agg(column_name::text) AS columns FROM information_schema.columns
     WHERE table_schema = current_schema() AND table_name NOT LIKE '\\_%' GROUP BY table_name`,
  )
  const names = tables.map(({ table_name }) => table_name).filter((name) => name in personalData || !/migration/.test(name))
  expect(names.toSorted()).toEqual(Object.keys(personalData).toSorted())
  const references = await service.database.sql.query<{ table_name: string; columns: string[] }>(
    `SELECT c.conrelid::regclass::text AS table_name, array_agg(a.attname::text) AS columns
       FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey) AND a.attname <> 'school_id'
      WHERE c.contype = 'f' AND c.confrelid::regclass::text IN ('person', 'account', 'lecturer')
        AND c.connamespace = current_schema()::regnamespace GROUP BY 1`,
  )
  expect(references.length).toBeGreaterThan(15)
  const refersToPerson = /^(account_id|person_id|uploaded_by|lecturer_id|author_lecturer_id)$/
  const named = tables.filter(({ columns }) => columns.some((column) => refersToPerson.test(column)))
  for (const { table_name, columns } of [...references, ...named]) {
    const coverage: object = personalData[table_name as keyof typeof personalData]
    const reason = 'reason' in coverage ? String(coverage.reason) : ''
    const isCovered = 'sections' in coverage || 'partOf' in coverage || reason.includes('in the export')
    expect([table_name, columns, isCovered]).toEqual([table_name, expect.anything(), true])
  }
})

test.each([
  ['student', studentExport],
  ['member', memberExport],
])('the export of a %s by the school has a list for every table that refers to people, or says why it has none', (_kind, schema) => {
  const lists = Object.keys(schema.shape)
  for (const [table, coverage] of Object.entries(exportedTables)) {
    if ('list' in coverage) expect([table, lists.includes(coverage.list)]).toEqual([table, true])
    else expect([table, coverage.reason.length > 40]).toEqual([table, true])
  }
})

test('an export covers every table that erasing a person changes', () => {
  const folder = 'src/school/students'
  const sources = readdirSync(folder).filter((file) => /^(erase|release|scrub)/.test(file))
  const changed = sources.flatMap((file) => [
    ...readFileSync(join(folder, file), 'utf8').matchAll(/(?:updateTable|deleteFrom)\('(\w+)'\)/g),
  ])
  expect(new Set(changed.map(([, table]) => table)).size).toBeGreaterThan(12)
  const isCovered = (table: string): boolean => {
    const coverage: object = personalData[table as keyof typeof personalData]
    return 'sections' in coverage || 'partOf' in coverage || ('reason' in coverage && /in the export/.test(String(coverage.reason)))
  }
  expect(changed.flatMap(([, table = '']) => (isCovered(table) ? [] : [table]))).toEqual([])
})

test('the school exports whom it can erase: also a person who only commented, with what names their address', async () => {
  const { sql } = service.database
  const schoolId = service.schoolId()
  await service.addPerson({ email: 'head@example.com', role: 'owner' })
  const personId = newId()
  await sql.query(
    "INSERT INTO person (school_id, id, email, name, is_student, is_member) VALUES ($1, $2, 'guest@example.com', 'Guest', false, true)",
    [schoolId, personId],
  )
  await newComment(sql, schoolId, { type: 'post', id: newId() }, { personId, body: 'All that I said' })
  const order = await newOrder(sql, schoolId)
  await sql.query("UPDATE orders SET person_id = NULL, buyer_email = 'guest@example.com' WHERE id = $1", [order])
  const agent = await createAgent(service.issuer, { client_name: 'Desk' })
  const { body: tokens } = await agent.tokens(personCalled('head@example.com'), { scope: allScopes }, { scopes: 'all' })
  const at = (path: string) => withToken(`${service.issuer}/api/v1${path}`, tokens.access_token)
  const found = await at(`/members/${toPublicId('mbr', personId)}/export`)
  expect([found.status, found.body]).toMatchObject([
    200,
    {
      object: 'member_export',
      member: { id: toPublicId('mbr', personId), name: 'Guest', email: 'guest@example.com' },
      student: null,
      comments: [{ body: 'All that I said' }],
      orders: [{ id: toPublicId('ord', order) }],
      truncated: [],
    },
  ])
})

test('the API and the archive of the account page contain everything of the person, and nothing of others', async () => {
  const { sql } = service.database
  const email = 'whole@example.com'
  const { accountId, personId } = await service.addPerson({ email })
  const other = await service.addPerson({ email: 'other@example.com' })
  // More rows than one batch has.
  for (const [id, word] of [
    [personId, 'mine'],
    [other.personId, 'theirs'],
  ])
    await sql.query(
      `INSERT INTO comment (school_id, id, subject_type, subject_id, person_id, body, body_html)
       SELECT $1, gen_random_uuid(), 'post', gen_random_uuid(), $2::uuid, $3 || n, $3 || n FROM generate_series(1, 1203) n`,
      [service.schoolId(), id, `comment ${word} `],
    )
  for (const [id, word] of [
    [personId, 'mine'],
    [other.personId, 'theirs'],
  ])
    await sql.query("INSERT INTO person_tag (school_id, person_id, kind, tag) VALUES ($1, $2, 'student_tag', $3)", [
      service.schoolId(),
      id,
      `tag ${word}`,
    ])
  const agent = await createAgent(service.issuer, { client_name: 'Exporter' })
  const { body: tokens } = await agent.tokens(personCalled(email), { scope: 'account:read' }, { scopes: 'all' })
  const answer = await withToken(`${service.issuer}/api/v1/account/export`, tokens.access_token)
  const data = answer.body as Record<string, Record<string, unknown>[]>
  expect(answer.status).toBe(200)
  for (const { name } of personalSections) expect([name, Array.isArray(data[name])]).toEqual([name, true])
  expect([data.comments?.length, new Set(data.comments?.map(({ body }) => body)).size]).toEqual([1203, 1203])
  expect(data.tags).toEqual([{ kind: 'student_tag', tag: 'tag mine' }])
  expect(data.activity?.map(({ event }) => event)).toContain('sign_in.succeeded')
  expect(data.grants).toHaveLength(1)
  const text = JSON.stringify(data)
  expect([text.includes('theirs'), text.includes(other.accountId), text.includes('$argon2id')]).toEqual([false, false, false])

  await sql.query(
    `INSERT INTO file (school_id, id, filename, content_type, bytes, purpose, visibility, status, storage_key, uploaded_by)
     VALUES ($1, gen_random_uuid(), 'gone.png', 'image/png', 1, 'avatar', 'public', 'ready', 'nowhere', $2)`,
    [service.schoolId(), accountId],
  )
  const browser = await signedIn(service, email)
  const zip = await send(browser, await browser.get('/account/data'), {}, /data\/download$/)
  expect([zip.status, zip.headers.get('content-type'), zip.headers.get('content-disposition')]).toEqual([
    200,
    'application/zip',
    expect.stringMatching(/^attachment; filename="[\w-]+-\d{4}-\d\d-\d\d\.zip"$/),
  ])
  // The entries are not compressed.
  expect([zip.html.includes('index.html'), zip.html.includes('<h1>Your data at First School</h1>')]).toEqual([true, true])
  expect([zip.html.startsWith('PK'), zip.html.includes('data.json'), zip.html.includes('comment mine 1203')]).toEqual([true, true, true])
  expect(zip.html).not.toContain('theirs')
})
