import { beforeAll, expect, test } from 'vitest'
import { toPublicId, uuidOf } from '../../src/base/ids.ts'
import { type CopiedTable, copiedTables, counters } from '../../src/database/statements/columnKinds.ts'
import { newPeople } from '../support/community.ts'
import type { DemoApi, Reply } from './demoApi.ts'
import { createSubjects } from './derived/createSubjects.ts'
import { everyWrite } from './derived/everyWrite.ts'
import { describeDemo } from './describeDemo.ts'

const as = 'owner@example.com'
type Row = Record<string, unknown>
interface Column {
  name: string
  type: string
  parent: string | null
}

/** Rows that are copied with their parent: the table, its column for the parent, and how rows are added to it if it has none. */
const children: Partial<Record<CopiedTable, [table: CopiedTable, column: string, add?: string][]>> = {
  course: [
    ['course_lecturer', 'course_id'],
    ['section', 'course_id'],
    ['lesson', 'course_id'],
  ],
  event: [
    ['event_host', 'event_id', '(school_id, event_id, lecturer_id) SELECT school_id, $2, id FROM lecturer WHERE school_id = $1'],
    ['event_plan', 'event_id', '(school_id, event_id, plan_id) SELECT school_id, $2, id FROM membership_plan WHERE school_id = $1'],
  ],
  post: [
    ['post_body', 'post_id'],
    ['post_plan', 'post_id', '(school_id, post_id, plan_id) SELECT school_id, $2, id FROM membership_plan WHERE school_id = $1'],
  ],
  digital_product: [
    [
      ...(['product_file', 'product_id'] as const),
      `(school_id, id, product_id, file_id, title, position) SELECT school_id, gen_random_uuid(), $2, id, 'One', 9 FROM file WHERE school_id = $1 LIMIT 1`,
    ],
  ],
}

describeDemo('the kinds of columns, on $name', (api) => {
  beforeAll(async () => {
    await query(
      `INSERT INTO file (school_id, id, filename, content_type, bytes, purpose, visibility, status, storage_key)
       VALUES ($1, gen_random_uuid(), 'one.pdf', 'application/pdf', 1, 'document', 'private', 'ready', 'one')`,
    )
    await query(`INSERT INTO membership_plan (school_id, id, slug, name) VALUES ($1, gen_random_uuid(), 'one', 'One')`)
  })

  const query = <Found extends object>(text: string, values: readonly unknown[] = []): Promise<Found[]> =>
    api.database.sql.query<Found>(text, [api.school.id, ...values])
  const send = async (path: string, options: Parameters<DemoApi['send']>[1] = {}): Promise<Reply> => {
    const reply = await api.send(`/api/v1/${path}`, { as, method: 'POST', body: {}, ...options })
    expect(reply.status, reply.text).toBeLessThan(300)
    return reply
  }

  async function columnsOf(table: string): Promise<Column[]> {
    return await query<Column>(
      `SELECT a.attname::text AS name, format_type(a.atttypid, NULL) AS type,
              (SELECT max(con.confrelid::regclass::text) FROM pg_constraint con
                WHERE con.conrelid = a.attrelid AND con.contype = 'f' AND con.conkey[2] = a.attnum) AS parent
         FROM pg_attribute a WHERE $1::text IS NOT NULL AND a.attrelid = $2::regclass AND a.attnum > 0 AND NOT a.attisdropped`,
      [table],
    )
  }

  const rowsOf = async (table: string, column: string, id: string): Promise<Row[]> =>
    (
      await query<{ row: Row }>(`SELECT to_jsonb(t) AS row FROM "${table}" t WHERE school_id = $1 AND "${column}" = $2 ORDER BY 1`, [id])
    ).map(({ row }) => row)

  /** Gives every column a value that no new row has; keys and places stay as they are. */
  async function fillOddly(table: CopiedTable, column: string, id: string, choices: (name: string) => readonly string[]): Promise<void> {
    const kept = ['school_id', 'id', 'slug', 'position', 'status', 'kind', 'live', 'draft_blocks', column]
    const values: unknown[] = []
    const assignments: string[] = []
    for (const { name, type, parent } of await columnsOf(table)) {
      if (kept.includes(name) || (parent !== null && !name.endsWith('file_id') && table !== 'post' && table !== 'event')) continue
      const [choice] = choices(name).slice(-1)
      if (parent !== null) assignments.push(`"${name}" = (SELECT id FROM "${parent}" WHERE school_id = $1 ORDER BY id LIMIT 1)`)
      else if (name === 'external_id') assignments.push(`external_id = 'odd' || id`)
      else if (type === 'uuid[]') assignments.push(`"${name}" = ARRAY(SELECT id FROM file WHERE school_id = $1 ORDER BY id LIMIT 1)`)
      else if (type === 'boolean') assignments.push(`"${name}" = NOT coalesce("${name}", false)`)
      else if (type === 'uuid') continue
      else {
        const number = /int/.test(type) ? 37 : undefined
        const odd =
          { 'text[]': ['odd'], jsonb: '{"odd":"yes"}' }[type] ?? (type.startsWith('timestamp') ? '2001-02-03T04:05:06Z' : `Odd ${name}`)
        values.push(choice ?? number ?? (name.endsWith('_format') ? 'html' : name.endsWith('currency') ? 'USD' : odd))
        assignments.push(`"${name}" = $${values.length + 2}::${type}`)
      }
    }
    if (assignments.length > 0)
      await query(`UPDATE "${table}" SET ${assignments.join(', ')} WHERE school_id = $1 AND "${column}" = $2`, [id, ...values])
  }

  /** Returns what is wrong with the copies of rows: content that differs, and the rest of the original where a copy begins like a new row. */
  function wrongWith(table: CopiedTable, [originals, copies]: [Row[], Row[]], own: readonly string[]): string[] {
    const { content, derived = {} }: { content: readonly string[]; derived?: object } = copiedTables[table]
    const copied = [...content, ...Object.keys(derived)].filter((name) => name !== 'title_order' && !own.includes(name))
    const part = (rows: Row[]) => rows.map((row) => JSON.stringify(copied.map((name) => [name, row[name]]))).toSorted()
    const wrong = part(originals).join() === part(copies).join() ? [] : [`${table}: ${part(originals)} is not ${part(copies)}`]
    const begun = Object.keys(originals[0] ?? {}).filter((name) => !copied.includes(name) && name !== 'school_id')
    return [
      ...(originals.length > 0 ? wrong : [`${table} has no row to copy`]),
      ...begun
        .filter((name) => copies.some((copy) => copy[name] !== null && originals.some((one) => one[name] === copy[name])))
        .map((name) => `${table}.${name}`),
    ]
  }

  test('a copy has the content of the original and of its parts, and nothing else of it', async () => {
    const duplicates = everyWrite.filter(({ id }) => id.startsWith('duplicate'))
    expect(duplicates.length).toBe(5)
    const wrong: string[] = []
    for (const { resource, path } of duplicates) {
      const table = (Object.keys(copiedTables) as CopiedTable[]).find((one) => one === resource.table)
      if (!table) throw new Error(`declare the kinds of the columns of ${resource.table}`)
      const parts = children[table] ?? []
      const candidates = parts.flatMap(([part, column, add]) =>
        add ? [] : [`EXISTS (SELECT FROM "${part}" p WHERE p.school_id = $1 AND p."${column}" = t.id)`],
      )
      const [row] = await query<{ id: string }>(
        `SELECT id FROM "${table}" t WHERE ${['school_id = $1', "status = 'published'", ...candidates].join(' AND ')} ORDER BY slug DESC LIMIT 1`,
      )
      const id = row?.id ?? uuidOf(resource.idPrefix, await createSubjects(api).newRow(resource))
      for (const [part, column, add] of parts) {
        if (add === undefined) continue
        await query(`DELETE FROM "${part}" WHERE school_id = $1 AND "${column}" = $2`, [id])
        await query(`INSERT INTO "${part}" ${add}`, [id])
      }
      const shape = resource.schema.shape as Record<string, { unwrap?: () => unknown; options?: readonly string[] }>
      const choices = (name: string): readonly string[] => shape[name]?.options?.filter((one) => typeof one === 'string') ?? []
      await fillOddly(table, 'id', id, choices)
      if (table !== 'page') await query(`UPDATE "${table}" SET status = 'published' WHERE school_id = $1 AND id = $2`, [id])
      for (const [part, column] of parts) await fillOddly(part, column, id, () => [])
      const address = path.replace(/\{id[^}]*\}/, toPublicId(resource.idPrefix, id))
      const reply = await api.send(address, { as, method: 'POST', body: {} }).catch((error: Error) => error)
      // Odd values are not as published.
      expect(reply instanceof Error ? reply.message : reply.status, table).toEqual(
        reply instanceof Error ? expect.stringContaining(' 201: response body at') : 201,
      )
      const [copy] = await query<{ id: string }>(`SELECT id FROM "${table}" WHERE school_id = $1 ORDER BY id DESC LIMIT 1`)
      const copyId = copy?.id ?? ''
      wrong.push(...wrongWith(table, [await rowsOf(table, 'id', id), await rowsOf(table, 'id', copyId)], ['title', 'draft_title']))
      for (const [part, column] of parts)
        wrong.push(...wrongWith(part, [await rowsOf(part, column, id), await rowsOf(part, column, copyId)], []))
      const counted = counters[table]?.filter((name) => !/lessons|sections|previews|minutes/.test(name)) ?? []
      const [stored = {}] = await rowsOf(table, 'id', copyId)
      wrong.push(...counted.filter((name) => stored[name] !== 0).map((name) => `${table}.${name} begins with ${stored[name]}`))
    }
    expect(wrong).toEqual([])
  })

  test('the copy of a full course takes people', async () => {
    const [lecturer] = await query<{ id: string }>('SELECT id FROM lecturer WHERE school_id = $1 LIMIT 1')
    const lecturer_ids = [toPublicId('lec', lecturer?.id ?? '')]
    const course = (await send('courses', { body: { title: 'Last term', description: 'Clay.', capacity: 1, lecturer_ids } })).json.id
    const section = (await send(`courses/${course}/sections`, { body: { title: 'Clay' } })).json.id
    const lesson = (await send(`sections/${section}/lessons`, { body: { title: 'Wedging', kind: 'text' } })).json.id
    await send(`lessons/${lesson}/publish`)
    await send(`courses/${course}/publish`)
    const [first, second] = (await newPeople(api.database.sql, api.school.id, 2)).map(({ id }) => toPublicId('std', id))
    await send('enrollments', { body: { student_id: first, course_id: course } })
    const copy = (await send(`courses/${course}/duplicate`)).json
    expect(copy).toMatchObject({ status: 'draft', capacity: 1, enrollments_count: 0, lessons_count: 1 })
    await send(`courses/${copy.id}/publish`)
    await send('enrollments', { body: { student_id: second, course_id: copy.id } })
  })

  test('every counter is a number that the database keeps at zero or above, and every other sum is named', async () => {
    const checked = await query<{ name: string }>(
      `SELECT con.conrelid::regclass || '.' || a.attname AS name FROM pg_constraint con
         JOIN pg_attribute a ON a.attrelid = con.conrelid AND a.attnum = ANY (con.conkey)
        WHERE $1::text IS NOT NULL AND con.contype = 'c' AND con.convalidated AND con.conname LIKE '%\\_counters' ORDER BY 1`,
    )
    const declared = Object.entries(counters).flatMap(([table, names]) => names.map((name) => `${table}.${name}`))
    expect(checked.map(({ name }) => name).toSorted()).toEqual(declared.toSorted())
    const named = await query<{ name: string }>(
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
        WHERE $1::text IS NOT NULL AND table_schema = current_schema() AND column_name LIKE '%\\_count' AND table_name NOT LIKE '\\_%' ORDER BY 1`,
    )
    // How many months or years a price is for.
    expect(named.map(({ name }) => name).filter((name) => !declared.includes(name))).toEqual(['plan_price.interval_count'])
  })

  test('taking back restores what follows from a text together with it, and leaves both if the text was changed since', async () => {
    const words = (count: number): string => 'kiln '.repeat(count)
    const post = (await send('posts', { body: { title: 'Firing', content: words(100) } })).json.id
    const latest = async (): Promise<string> => {
      const [entry] = await query<{ id: string }>('SELECT id FROM audit_log WHERE school_id = $1 ORDER BY id DESC LIMIT 1')
      return toPublicId('act', entry?.id ?? '')
    }
    const changed = async (content: string, more = {}): Promise<string> => {
      await send(`posts/${post}`, { method: 'PATCH', headers: { 'if-match': '*' }, body: { content, ...more } })
      return await latest()
    }
    const read = async () => (await api.get(`/api/v1/posts/${post}`, { as })).json
    const long = await changed(words(9_000), { title: 'Long' })
    await changed(`<!-- -->${words(8_990)}`)
    await send(`account/activity/${long}/undo`, { body: { conflicts: 'keep' } })
    expect(await read()).toMatchObject({ reading_minutes: 45, content: `<!-- -->${words(8_990)}` })
    await changed('Five words about a kiln.')
    const again = await changed(words(9_000))
    await send(`account/activity/${again}/undo`)
    expect(await read()).toMatchObject({ reading_minutes: 1, content: 'Five words about a kiln.' })
    const longer = await changed(words(9_000), { title: 'Long' })
    await changed('Other words.')
    await send(`account/activity/${longer}/undo`, { body: { conflicts: 'keep' } })
    expect(await read()).toMatchObject({ reading_minutes: 1, content: 'Other words.' })
  })
})
