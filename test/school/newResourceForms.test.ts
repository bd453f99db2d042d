import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { newId, toPublicId } from '../../src/base/ids.ts'
import { defineReports, defineResource } from '../../src/engine/declare/defineResource.ts'
import { listOf } from '../../src/engine/declare/elementList.ts'
import { everything } from '../../src/engine/declare/expressions.ts'
import { reference, slug } from '../../src/engine/declare/fields.ts'
import { operationsOf } from '../../src/engine/declare/operationsOf.ts'
import { defineAction, defineCollectionRead, defineRead } from '../../src/engine/declare/typedOperations.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { allScopes, startDemoApi } from './demoApi.ts'

const everyone = { anonymous: everything, learner: everything, lecturer: everything, staff: everything }
const text = (description: string) => z.string().meta({ description, example: 'a' })

/** Workshops belong to makers, and have every kind of operation that is not plain create, read, update and delete. */
const makers = defineResource({
  name: 'makers',
  path: 'guild/makers',
  object: 'maker',
  idPrefix: 'mak',
  table: 'lecturer',
  anonymous: 'partial',
  about: 'Who makes things.',
  scopes: { read: 'See makers', write: { staff: 'Change makers' } },
  schema: z.object({
    slug: slug().meta({ description: 'Readable key.', example: 'ada' }),
    display_name: z.string().min(1).meta({ description: 'Name.', example: 'Ada' }),
    headline: z.string().nullable().meta({ description: 'Line.', example: null }),
    position: z.int().default(7).meta({ description: 'Place.', example: 1, view: 'staff' }),
    shouted: text('The name, loud.').meta({ description: 'The name, loud.', example: 'ADA', onDemand: true }),
    tone: text('How it was asked for.'),
  }),
  derived: {
    shouted: { from: ['display_name'], of: ({ display_name }) => display_name.toUpperCase() },
    tone: { from: [], of: (_row, { parameters }) => String(parameters.get('tone') ?? 'plain') },
  },
  reading: z.object({ tone: z.enum(['plain', 'warm']).optional().meta({ description: 'How to say it.' }) }),
  writable: ['display_name', 'headline', 'position'],
  required: ['display_name'],
  slugFrom: 'display_name',
  sorts: ['display_name'],
  representations: [
    { type: 'text/x-names', maxRows: 2, example: 'Ada', write: (rows) => rows.map(({ body }) => body.display_name).join('\n') },
  ],
  visibility: everyone,
  operations: {
    list: 'read',
    get: 'read',
    create: 'write',
    update: 'write',
    replace: 'write',
    remove: {
      scope: 'write',
      parameters: z.object({ later: z.boolean().default(false).meta({ description: 'Not now.' }) }),
      before: async ({ parameters }) => ({ affected: [String(parameters.get('later'))] }),
      after: async (_writing, _row, [later = '']) => ({ headers: { 'Affected-Rows': later } }),
    },
  },
  reads: {
    card: defineRead('lecturer', {
      scope: 'read',
      summary: 'Show the card of a maker',
      parameters: z.object({ size: z.int().min(1).max(3).default(1).meta({ description: 'Size.' }) }),
      output: z.object({
        maker_id: reference('mak', 'Who.'),
        size: z.int().meta({ description: 'Size.', example: 1 }),
        rank: z.int().meta({ description: 'Place.', example: 1, view: 'staff' }),
      }),
      run: async ({ parameters }, row) => ({ maker_id: row.id, size: parameters.get('size'), rank: row.position, unnamed: 'secret' }),
      asHtml: ({ maker_id, size }) => `<!doctype html><title>${String(maker_id)}</title><p>${String(size)}</p>`,
    }),
    guess: defineRead('lecturer', {
      scope: 'read',
      summary: 'Guess the name of a maker',
      byId: true,
      input: z.object({ name: text('The guess.') }),
      output: z.object({ is_right: z.boolean().meta({ description: 'Whether it is right.', example: true }) }),
      run: async (_reading, row, { name }) => ({ is_right: name === row.display_name }),
    }),
    file: {
      scope: 'read',
      summary: 'Show what only staff see',
      view: 'staff',
      output: z.object({ note: text('Note.') }),
      run: async () => ({ note: 'for staff' }),
    },
  },
  collectionReads: {
    shelves: {
      scope: 'read',
      summary: 'List shelves',
      isPublic: true,
      output: listOf(z.object({ name: text('Name.') }), 'Shelves.'),
      pagedBy: 'name',
      run: async () => ({ data: [{ name: 'pots', hidden: 'secret' }] }),
    },
  },
  actions: {
    copy: {
      scope: 'write',
      summary: 'Make another of the kind',
      status: 201,
      async perform({ writer, school, now }, row) {
        const id = newId()
        const columns = { school_id: school.id, id, slug: `copy-${id}`, display_name: row.display_name, created_at: now, updated_at: now }
        await writer.insertInto('lecturer').values(columns).execute()
        return { made: id }
      },
    },
    order: defineAction('lecturer', {
      scope: 'write',
      summary: 'Put it in its place',
      method: 'PUT',
      needsIfMatch: true,
      input: z.object({ position: z.int().meta({ description: 'Place.', example: 1 }) }),
      output: z.object({ place: z.int().meta({ description: 'Place.', example: 1 }) }),
      perform: async ({ writer, school }, { id }, { position }) => ({
        columns: { position: position as number },
        body: async () => {
          const row = await writer
            .selectFrom('lecturer')
            .select('position')
            .where('school_id', '=', school.id)
            .where('id', '=', id)
            .executeTakeFirstOrThrow()
          return { place: row.position }
        },
      }),
    }),
    'notes/{n}/send': defineAction('lecturer', {
      scope: 'write',
      summary: 'Send a note',
      id: 'sendNote',
      status: 202,
      parameters: z.object({ n: z.int().min(1).max(9).meta({ description: 'Number of the note.' }) }),
      async run(writing) {
        const { writer, school, parameters, externalServices } = writing
        const link = `note ${String(parameters.get('n'))}`
        await externalServices.send(writer, school, { email: 'a@example.com', locales: [] }, 'staff_invited', { link })
        if (writing.parameters.get('n') === 9) throw new Error('thrown on purpose')
        return {}
      },
    }),
    'shelves/{n}': defineAction('lecturer', {
      scope: 'write',
      id: 'changeShelf',
      summary: 'Change a shelf',
      method: 'PATCH',
      status: 201,
      parameters: z.object({ n: z.int().min(1).max(9).meta({ description: 'Number of the shelf.' }) }),
      perform: async ({ parameters }) => ({ columns: { position: parameters.get('n') as number } }),
    }),
    link: { scope: 'write', summary: 'End the link', method: 'DELETE', status: 204, run: async () => ({ headline: null }) },
  },
})

const works = defineResource({
  name: 'works',
  object: 'work',
  idPrefix: 'wrk',
  called: { one: 'piece', many: 'pieces' },
  table: 'course',
  versionColumn: 'position',
  about: 'What is made.',
  scopes: makers.area,
  under: { resource: () => makers, table: 'lecturer', column: 'category' },
  schema: z.object({
    title: z.string().min(1).meta({ description: 'Title.', example: 'Jug' }),
    slug: slug().meta({ description: 'Readable key.', example: 'jug' }),
    language: text('Language.'),
  }),
  writable: ['title', 'language'],
  required: ['title', 'language'],
  slugFrom: 'title',
  sorts: ['title'],
  listedUnder: [{ resource: () => makers, where: (work, id) => work('category', '=', id) }],
  visibility: { ...everyone, anonymous: (work) => work('title', '!=', 'Hidden jug') },
  operations: { list: 'read', get: 'read', create: 'write', update: 'write' },
})

/** Guests share their table with all other people, and their state, note and name are in columns with other names. */
const guests = defineResource({
  name: 'guests',
  object: 'guest',
  idPrefix: 'gst',
  table: 'person',
  part: (person) => person('is_member', '=', true),
  me: ({ personId }) => personId,
  about: 'Who is invited.',
  scopes: { read: 'See guests', write: 'Change guests' },
  schema: z.object({
    display_name: z.string().min(1).meta({ description: 'Name.', example: 'Ada' }),
    status: z.enum(['active', 'left', 'invited', 'blocked', 'erased']).meta({ description: 'State.', example: 'active' }),
    remark: z.string().nullable().meta({ description: 'Remark.', example: null }),
  }),
  derived: {
    display_name: {
      from: ['display_name', 'name'],
      of: ({ display_name, name }) => display_name ?? name,
      write: (display_name) => ({ display_name }),
    },
    status: { column: 'member_status' },
    remark: { column: 'member_note' },
  },
  writable: ['display_name', 'remark'],
  filters: [
    'status',
    'remark',
    { name: 'town', description: 'where', view: 'staff', value: z.string(), where: (person) => person.lit(false) },
  ],
  search: [{ field: 'display_name', else: 'name' }, { staff: 'email' }],
  sorts: ['-created_at', { field: 'display_name', else: 'name' }],
  visibility: everyone,
  views: { own: (person, me) => person('id', '=', me.personId) },
  operations: { list: 'read', get: 'read', update: 'write' },
  actions: {
    leave: { scope: 'write', summary: 'Go away', isOwn: true, from: ['active'], to: 'left' },
    return: { scope: 'write', summary: 'Come back', from: ['left'], to: 'active' },
  },
})

/** A report, which has no row: the request pipeline is the same. */
const ledger = defineReports({
  name: 'ledger',
  object: 'ledger_report',
  about: 'What the guild counts.',
  scopes: { read: 'See what the guild counts' },
  roles: ['lecturer', 'staff'],
  reports: {
    'makers/{id}/tally': defineCollectionRead({
      scope: 'read',
      id: 'ledgerTally',
      summary: 'Count something',
      parameters: z.object({ id: text('Whom.'), times: z.int().min(1).max(3).default(2).meta({ description: 'How many.' }) }),
      output: z.object({
        parts: z
          .array(z.object({ word: text('Word.') }))
          .nullable()
          .meta({ description: 'Parts.', example: null }),
        lines: z
          .array(
            z.object({
              name: text('Name.'),
              paid: z.object({ amount: z.int().meta({ description: 'How much.', example: 1 }) }).meta({ description: 'Money.' }),
            }),
          )
          .meta({ description: 'Lines.', example: [] }),
      }),
      rows: ['parts', 'lines'],
      run: async ({ parameters }) => ({
        parts: null,
        lines: Array.from({ length: Number(parameters.get('times')) }, (_, index) => ({
          name: '=1+1',
          paid: { amount: 0 - index },
          unnamed: 'x',
        })),
      }),
    }),
    secrets: {
      scope: 'read',
      id: 'ledgerSecrets',
      summary: 'Count what only staff may know',
      roles: ['staff'],
      output: z.object({ count: z.int().meta({ description: 'How many.', example: 1 }) }),
      run: async () => ({ count: 3 }),
    },
  },
})

const declared = [...resources, makers, works, guests, ledger]
const scopes = [...allScopes, 'makers:read', 'makers:write', 'guests:read', 'guests:write', 'ledger:read']
const as = 'owner@example.com'

test('the addresses of every form follow from the declaration', () => {
  expect(
    [...operationsOf(makers), ...operationsOf(works), ...operationsOf(guests)].map(({ id, method, path, anonymous }) =>
      [id, method, path, anonymous].join(' '),
    ),
  ).toEqual([
    'listMakers GET /api/v1/guild/makers partial',
    'getMaker GET /api/v1/guild/makers/{id_or_slug} partial',
    'getMakerCard GET /api/v1/guild/makers/{id_or_slug}/card partial',
    'getMakerGuess POST /api/v1/guild/makers/{id}/guess partial',
    'getMakerFile GET /api/v1/guild/makers/{id_or_slug}/file none',
    'getMakersShelves GET /api/v1/guild/makers/shelves partial',
    'createMaker POST /api/v1/guild/makers none',
    'updateMaker PATCH /api/v1/guild/makers/{id_or_slug} none',
    'replaceMaker PUT /api/v1/guild/makers/{id_or_slug} none',
    'deleteMaker DELETE /api/v1/guild/makers/{id_or_slug} none',
    'copyMaker POST /api/v1/guild/makers/{id}/copy none',
    'orderMaker PUT /api/v1/guild/makers/{id}/order none',
    'sendNote POST /api/v1/guild/makers/{id}/notes/{n}/send none',
    'changeShelf PATCH /api/v1/guild/makers/{id}/shelves/{n} none',
    'linkMaker DELETE /api/v1/guild/makers/{id}/link none',
    'listPieces GET /api/v1/works full',
    'listMakerPieces GET /api/v1/guild/makers/{id_or_slug}/works full',
    'getPiece GET /api/v1/works/{id_or_slug} full',
    'createPiece POST /api/v1/guild/makers/{id}/works none',
    'updatePiece PATCH /api/v1/works/{id_or_slug} none',
    'listGuests GET /api/v1/guests full',
    'getGuest GET /api/v1/guests/{id_or_me} full',
    'updateGuest PATCH /api/v1/guests/{id_or_me} none',
    'leaveGuest POST /api/v1/guests/me/leave none',
    'returnGuest POST /api/v1/guests/{id}/return none',
  ])
})

describe.each(await databasesToTest())('a resource with every form, on $name', ({ open }) => {
  const api = duringTests(async () => startDemoApi(await open(), operationsIn(declared)))
  let maker: Record<string, unknown>
  const at = (end = '') => `/api/v1/guild/makers/${String(maker.id)}${end}`
  const call = (path: string, method = 'GET', body?: object, headers: Record<string, string> = {}) =>
    api.send(path, { method, as, scopes, headers, ...(body && { body }) })
  const anonymous = (path: string) => api.send(path, { method: 'GET' })

  beforeAll(async () => {
    maker = (await call('/api/v1/guild/makers', 'POST', { display_name: 'Ada Clay', position: 3 })).json
  })

  test('a field on demand is returned only if expand names it', async () => {
    expect(maker).not.toHaveProperty('shouted')
    expect((await anonymous(at())).json).not.toHaveProperty('shouted')
    expect((await anonymous(`${at()}?expand=shouted`)).json.shouted).toBe('ADA CLAY')
    expect((await anonymous(`${at()}?expand=shouted&fields=slug`)).json).toEqual({
      id: maker.id,
      object: 'maker',
      slug: 'ada-clay',
      shouted: 'ADA CLAY',
    })
    const list = await anonymous('/api/v1/guild/makers?expand=shouted&limit=100')
    expect((list.json.data as { shouted: string }[]).every(({ shouted }) => shouted === shouted.toUpperCase())).toBe(true)
  })

  test('a parameter of the declaration reaches what is derived, and a wrong one is refused', async () => {
    expect((await anonymous(at())).json.tone).toBe('plain')
    expect((await anonymous(`${at()}?tone=warm`)).json.tone).toBe('warm')
    expect((await anonymous('/api/v1/guild/makers?tone=warm&limit=1')).json.data).toMatchObject([{ tone: 'warm' }])
    expect((await anonymous(`${at()}?tone=cold`)).json.error).toBe('invalid_parameter')
  })

  test('a read of a row answers what its schema names, in the view of the caller', async () => {
    expect((await anonymous(at('/card'))).json).toEqual({ maker_id: maker.id, size: 1 })
    const answer = await call('/api/v1/guild/makers/ada-clay/card?size=2')
    expect(answer.json).toEqual({ maker_id: maker.id, size: 2, rank: 3 })
    const again = await call(`/api/v1/guild/makers/ada-clay/card?size=2`, 'GET', undefined, {
      'if-none-match': answer.headers.get('etag') as string,
    })
    expect(again.status).toBe(304)
    expect((await call(at('/card?size=4'))).json.error).toBe('invalid_parameter')
    expect((await anonymous(at('/file'))).json.error).toBe('access_denied')
    expect((await call(at('/file'))).json).toEqual({ note: 'for staff' })
    expect((await anonymous('/api/v1/guild/makers/nobody/card')).status).toBe(404)
  })

  test('a row is returned as a document if Accept asks for one, and as JSON otherwise', async () => {
    const read = (accept: string) => api.send(at('/card'), { method: 'GET', headers: { accept } })
    const page = await read('text/html,application/xhtml+xml,*/*;q=0.8')
    expect([page.headers.get('content-type'), page.text]).toEqual([
      'text/html; charset=utf-8',
      `<!doctype html><title>${maker.id}</title><p>1</p>`,
    ])
    const plain = await read('*/*')
    expect(plain.json).toEqual({ maker_id: maker.id, size: 1 })
    expect(plain.headers.get('etag')).not.toBe(page.headers.get('etag'))
    expect((await read('text/csv')).status).toBe(406)
    expect((await api.send(at(), { method: 'GET', headers: { accept: 'text/html' } })).status).toBe(406)
  })

  test('a read can be asked with a body, by visitors as well, and leaves no trace', async () => {
    const guess = (body: object) => api.send(at('/guess'), { body })
    expect((await guess({ name: 'Ada Clay' })).json).toEqual({ is_right: true })
    const wrong = await guess({ name: 'Bo' })
    expect([wrong.json, wrong.headers.get('etag'), wrong.headers.get('cache-control')]).toEqual([{ is_right: false }, null, 'no-store'])
    expect((await guess({})).json).toMatchObject({ error: 'validation_failed', details: [{ field: 'name' }] })
    expect((await guess({ name: 'Bo', more: 1 })).json.error).toBe('unknown_field')
    const [trace] = await api.database.sql.query(`SELECT id FROM audit_log WHERE details ->> 'operation' = 'getMakerGuess'`)
    expect(trace).toBeUndefined()
  })

  test('a read of the collection is answered before rows of that name', async () => {
    expect((await anonymous('/api/v1/guild/makers/shelves')).json).toMatchObject({
      object: 'list',
      data: [{ name: 'pots' }],
      page: { has_more: false },
    })
  })

  test('a report without rows is read like everything else, by those whom it is for, and as a file', async () => {
    const path = '/api/v1/ledger/makers/ada/tally'
    expect((await call(path)).json).toEqual({
      parts: null,
      lines: [
        { name: '=1+1', paid: { amount: 0 } },
        { name: '=1+1', paid: { amount: -1 } },
      ],
    })
    expect((await call(`${path}?times=4`)).json).toMatchObject({ error: 'invalid_parameter', details: [{ field: 'times' }] })
    expect((await anonymous(path)).json.error).toBe('access_denied')
    const file = await call(path, 'GET', undefined, { accept: 'text/csv' })
    expect([file.headers.get('content-type'), file.text]).toEqual([
      'text/csv; charset=utf-8; header=present',
      "name,paid.amount\r\n'=1+1,0\r\n'=1+1,-1\r\n",
    ])
    expect((await call('/api/v1/ledger/secrets')).json).toEqual({ count: 3 })
    expect((await call('/api/v1/ledger/secrets', 'GET', undefined, { accept: 'text/csv' })).status).toBe(406)
    for (const [person, end, status] of [
      ['lecturer1@example.com', 'makers/ada/tally', 200],
      ['lecturer1@example.com', 'secrets', 403],
      ['learner001@example.org', 'makers/ada/tally', 403],
    ] as const) {
      expect((await api.get(`/api/v1/ledger/${end}`, { as: person, scopes })).status).toBe(status)
    }
  })

  test('a replacement replaces the whole row: missing members take their default, and are an error if they have none', async () => {
    const made = (await call('/api/v1/guild/makers', 'POST', { display_name: 'Bo', headline: 'Turner', position: 4 })).json
    const path = `/api/v1/guild/makers/${String(made.id)}`
    expect((await call(path, 'PUT', { display_name: 'Bo' })).status).toBe(428)
    expect((await call(path, 'PUT', {}, { 'if-match': '*' })).json.details).toMatchObject([{ field: 'display_name', code: 'required' }])
    expect((await call(path, 'PUT', { display_name: 'Bo', tone: 'x' }, { 'if-match': '*' })).json.error).toBe('read_only_field')
    const replaced = await call(path, 'PUT', { display_name: 'Bo Turner' }, { 'if-match': '*' })
    expect(replaced.json).toMatchObject({ display_name: 'Bo Turner', headline: null, position: 7 })
    expect((await call(path, 'PUT', { display_name: 'Bo' }, { 'if-match': '"1-s-00000000"' })).status).toBe(412)
  })

  test('a new row is made, and listed, under a row of another resource', async () => {
    const made = await call(at('/works'), 'POST', { title: 'Jug', language: 'en' })
    expect(made.status).toBe(201)
    expect(made.headers.get('location')).toMatch(new RegExp(`/api/v1/works/${String(made.json.id)}$`))
    await call(at('/works'), 'POST', { title: 'Hidden jug', language: 'en' })
    await call(at('/works'), 'POST', { title: 'Kettle', language: 'en' })
    const titles = (reply: { json: Record<string, unknown> }) => (reply.json.data as { title: string }[]).map(({ title }) => title)
    expect(titles(await call(at('/works?sort=title')))).toEqual(['Hidden jug', 'Jug', 'Kettle'])
    const first = await anonymous('/api/v1/guild/makers/ada-clay/works?sort=title&limit=1')
    expect(titles(first)).toEqual(['Jug'])
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] as string
    expect(new URL(next).searchParams.has('id_or_slug')).toBe(false)
    expect(titles(await anonymous(new URL(next).pathname + new URL(next).search))).toEqual(['Kettle'])
    const other = (await call('/api/v1/guild/makers', 'POST', { display_name: 'Cy' })).json
    expect((await call(`/api/v1/guild/makers/${String(other.id)}/works${new URL(next).search}`)).json.error).toBe('invalid_cursor')
    expect((await call(`/api/v1/guild/makers/mak_01jgwejj00e6srgkpqm2sqf05m/works`, 'POST', { title: 'x', language: 'en' })).status).toBe(
      404,
    )
    expect((await anonymous('/api/v1/guild/makers/mak_01jgwejj00e6srgkpqm2sqf05m/works')).status).toBe(404)
  })

  test('the version is the column that the declaration names', async () => {
    const made = await call(at('/works'), 'POST', { title: 'Bowl', language: 'en' })
    const path = `/api/v1/works/${String(made.json.id)}`
    expect(made.headers.get('etag')).toMatch(/^"0-s-/)
    const changed = await call(path, 'PATCH', { title: 'Dish' }, { 'if-match': made.headers.get('etag') as string })
    expect(changed.headers.get('etag')).toMatch(/^"1-s-/)
    expect((await call(path, 'PATCH', { title: 'Cup' }, { 'if-match': made.headers.get('etag') as string })).status).toBe(412)
    const [row] = await api.database.sql.query<{ version: number }>('SELECT version FROM course WHERE school_id = $1 AND title = $2', [
      api.school.id,
      'Dish',
    ])
    expect(row?.version).toBe(1)
  })

  test('an action can create a row, return another body, or return nothing', async () => {
    const copy = await call(at('/copy'), 'POST', {})
    expect(copy.status).toBe(201)
    expect(copy.json).toMatchObject({ display_name: 'Ada Clay' })
    expect(copy.json.id).not.toBe(maker.id)
    expect(copy.headers.get('location')).toContain(`/api/v1/guild/makers/${String(copy.json.id)}`)
    expect((await call(at('/order'), 'PUT', { position: 5 })).status).toBe(428)
    const placed = await call(at('/order'), 'PUT', { position: 5 }, { 'if-match': (await call(at())).headers.get('etag') as string })
    expect(placed.json).toEqual({ place: 5 })
    const part = await call(at('/shelves/4'), 'PATCH', {}, { 'content-type': 'application/merge-patch+json' })
    expect([part.status, part.json.position]).toEqual([201, 4])
    expect(part.headers.get('location')).toContain(`/api/v1/guild/makers/${String(maker.id)}`)
    expect((await call(at('/link'), 'DELETE')).status).toBe(204)
    expect((await call(at())).json.headline).toBeNull()
  })

  test('an e-mail is written once, and never by a change that failed', async () => {
    expect((await call(at('/notes/2/send'), 'POST', {}, { 'idempotency-key': 'note' })).status).toBe(202)
    expect((await call(at('/notes/2/send'), 'POST', {}, { 'idempotency-key': 'note' })).headers.get('idempotent-replayed')).toBe('true')
    expect((await call(at('/notes/9/send'), 'POST', {})).status).toBe(500)
    expect((await call(at('/notes/10/send'), 'POST', {})).json.error).toBe('invalid_parameter')
    expect((await call(at('/notes/x/send'), 'POST', {})).json.error).toBe('invalid_parameter')
    expect(await api.messages()).toEqual([{ to: 'a@example.com', kind: 'staff_invited', links: { link: 'note 2' } }])
  })

  test('a resource can be a part of a shared table, with separate states and columns', async () => {
    const learner = 'learner001@example.org'
    const asLearner = (path: string, method = 'GET', body?: object) =>
      api.send(`/api/v1/guests${path}`, { method, as: learner, scopes, ...(body && { body }) })
    const names = (reply: { json: Record<string, unknown> }) =>
      (reply.json.data as { display_name: string }[]).map(({ display_name }) => display_name)
    const me = await asLearner('/me', 'PATCH', { display_name: 'Zz Wren', remark: 'early' })
    expect(me.json).toMatchObject({ display_name: 'Zz Wren', remark: 'early', status: 'active' })
    expect((await asLearner('/me')).text).toBe(me.text)
    expect((await asLearner('/me', 'PATCH', { remark: 'early' })).headers.get('etag')).toBe(me.headers.get('etag'))
    expect(names(await call('/api/v1/guests?sort=-display_name&limit=1'))).toEqual(['Zz Wren'])
    const walked: string[] = []
    for (let path: string | undefined = '/api/v1/guests?sort=display_name&limit=100'; path; ) {
      const page = await call(path)
      walked.push(...names(page))
      const cursor = (page.json.page as { next_cursor: string | null }).next_cursor
      path = cursor === null ? undefined : `/api/v1/guests?sort=display_name&limit=100&cursor=${cursor}`
    }
    expect(walked).toHaveLength(300)
    expect(walked).toEqual([...walked].toSorted())
    // Hidden names cannot be searched, and the e-mail address is for staff only.
    expect(names(await asLearner('?q=zz wren'))).toEqual(['Zz Wren'])
    expect(names(await asLearner('?q=wren applegarth'))).toEqual([])
    expect(names(await asLearner('?q=learner001'))).toEqual([])
    expect(names(await call('/api/v1/guests?q=learner001'))).toEqual(['Zz Wren'])
    // Without a display name, the name is shown.
    await api.database.sql.query(`UPDATE person SET display_name = NULL WHERE school_id = $1 AND name = 'Tobin Larkmoor'`, [api.school.id])
    expect(names(await asLearner('?q=larkmoor'))).toEqual(['Tobin Larkmoor'])
    expect((await asLearner('?town=x')).json.error).toBe('invalid_parameter')
    expect((await asLearner('/me/leave', 'POST', {})).json).toMatchObject({ status: 'left' })
    expect((await asLearner('/me/leave', 'POST', {})).json).toMatchObject({ status: 'left' })
    expect(names(await call('/api/v1/guests?status=left&remark=early'))).toEqual(['Zz Wren'])
    expect((await call('/api/v1/guests/me')).status).toBe(404)
    expect((await anonymous('/api/v1/guests/me')).status).toBe(404)
    // Student alone: of the same table, and not of this part.
    const [other] = await api.database.sql.query<{ id: string }>('SELECT id FROM person WHERE school_id = $1 AND NOT is_member LIMIT 1', [
      api.school.id,
    ])
    expect((await call(`/api/v1/guests/${toPublicId('gst', other?.id as string)}/return`, 'POST', {})).status).toBe(404)
  })

  test('a row and a list have another representation on request, with a link to the next page', async () => {
    const headers = { accept: 'text/x-names' }
    const list = await call('/api/v1/guild/makers?sort=-display_name', 'GET', undefined, headers)
    expect([list.status, list.headers.get('content-type'), list.text.split('\n').length]).toEqual([200, 'text/x-names; charset=utf-8', 2])
    expect(list.headers.get('link')).toContain('rel="next"')
    const same = await call('/api/v1/guild/makers?sort=-display_name', 'GET', undefined, {
      ...headers,
      'if-none-match': list.headers.get('etag') as string,
    })
    expect(same.status).toBe(304)
    expect((await call('/api/v1/guild/makers?limit=3', 'GET', undefined, headers)).json.error).toBe('invalid_parameter')
    expect((await call(at(), 'GET', undefined, headers)).text).toBe((await call(at())).json.display_name)
    expect((await call(at(), 'GET', undefined, { accept: 'text/x-other' })).json.error).toBe('not_acceptable')
  })

  test('a removal reads its parameters, and may answer headers', async () => {
    const made = (await call('/api/v1/guild/makers', 'POST', { display_name: 'Di' })).json
    const removed = await call(`/api/v1/guild/makers/${String(made.id)}?later=true`, 'DELETE')
    expect([removed.status, removed.headers.get('affected-rows')]).toEqual([204, 'true'])
  })
})
