import { describe, expect, test } from 'vitest'
import { toPublicId } from '../../src/base/ids.ts'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { newFile } from '../support/files.ts'
import { type Reply, type SendOptions, startDemoApi } from './demoApi.ts'

const owner = 'owner@example.com'
const lecturer = 'lecturer2@example.com'
const stranger = 'lecturer1@example.com'
const learner = 'learner001@example.org'

interface OutlinedLesson {
  id: string
  title: string
  position: number
  locked: boolean
}
interface Tree {
  course_id: string
  version: number
  sections: { id: string; title: string; position: number; lessons_count: number; lessons: OutlinedLesson[] }[]
}

describe.each(await databasesToTest())('the curriculum on $name', ({ open }) => {
  const api = duringTests(async () => startDemoApi(await open()))

  const send = (path: string, options: SendOptions = {}): Promise<Reply> => api.send(`/api/v1/${path}`, { as: owner, ...options })
  const post = async (path: string, body: object, as = owner) => (await send(path, { as, body })).json as { id: string }
  const patch = (path: string, body: object, options: SendOptions = {}) => send(path, { method: 'PATCH', body, ...options })
  const get = (path: string, as: string | undefined = owner) => api.get(`/api/v1/${path}`, { as })
  const anonymous = (path: string) => api.get(`/api/v1/${path}`)
  const titles = ({ sections }: Tree) => sections.map(({ title, lessons }) => [title, ...lessons.map((lesson) => lesson.title)])
  const fields = ({ json }: Reply) => ((json.details ?? []) as { field: string; code: string }[]).map(({ field, code }) => [field, code])
  const rows = <Row extends object>(statement: string, values: unknown[] = []) =>
    api.database.sql.query<Row>(statement, [api.school.id, ...values])
  const treeOf = async (id: string) => (await get(`courses/${id}/curriculum`)).json as unknown as Tree

  /** A course of the lecturer with two sections and three lessons: two published, of which one is a preview, and a draft. */
  async function newCourse(title = 'Basket weaving') {
    const course = await post('courses', { title }, lecturer)
    const first = await post(`courses/${course.id}/sections`, { title: 'Willow' })
    const second = await post(`courses/${course.id}/sections`, { title: 'Rush', summary: 'Softer.' })
    const make = (section: { id: string }, name: string, more: object = {}) =>
      post(`sections/${section.id}/lessons`, { title: name, kind: 'text', content: `What ${name} says`, ...more })
    const preview = await make(first, 'Soaking', { is_preview: true, duration_seconds: 90 })
    const locked = await make(first, 'Splitting', { duration_seconds: 60 })
    const draft = await make(second, 'Plaiting', { is_preview: true, duration_seconds: 600 })
    for (const { id } of [preview, locked]) await send(`lessons/${id}/publish`)
    return { course, first, second, preview, locked, draft }
  }

  describe('a tree', () => {
    test('shows sections and lessons in their order, and what they teach is not in it', async () => {
      const { course, preview } = await newCourse()
      const reply = await get(`courses/${course.id}/curriculum`)
      const tree = reply.json as unknown as Tree
      expect(titles(tree)).toEqual([
        ['Willow', 'Soaking', 'Splitting'],
        ['Rush', 'Plaiting'],
      ])
      expect(tree.sections[0]?.lessons[0]).toEqual({
        id: preview.id,
        object: 'lesson',
        section_id: tree.sections[0]?.id,
        title: 'Soaking',
        kind: 'text',
        status: 'published',
        is_preview: true,
        position: 0,
        duration_seconds: 90,
        locked: false,
        lock_reason: null,
        drip: { mode: 'none' },
        external_id: null,
      })
      expect(reply.text).not.toContain('What Soaking says')
      expect(reply.headers.get('etag')).toMatch(new RegExp(`^"${tree.version}-s-`))
    })
  })

  describe('visitors', () => {
    test('holds no body, no answer of a quiz and no draft, in any byte of any operation', async () => {
      const { course, first, second, preview, locked, draft } = await newCourse('Marked')
      const question = {
        kind: 'single',
        prompt: 'PROMPT',
        explanation: 'MARKER-why',
        choices: [{ text: 'one', correct: true }, { text: 'two' }],
      }
      const quiz = await post(`sections/${first.id}/lessons`, {
        title: 'Questions',
        kind: 'quiz',
        is_preview: true,
        quiz: { questions: [question, { kind: 'short_text', prompt: 'SHORT', accepted_answers: ['MARKER-answer'] }] },
      })
      await send(`lessons/${quiz.id}/publish`)
      await patch(`lessons/${locked.id}`, { content: 'MARKER-body' })
      await patch(`lessons/${draft.id}`, { title: 'MARKER-draft', content: 'MARKER-body' })
      await send(`courses/${course.id}/publish`)
      const slug = 'marked'
      for (const as of [undefined, learner]) {
        const replies = await Promise.all(
          [
            `courses/${slug}`,
            `courses/${slug}?expand=curriculum`,
            `courses?q=marked&expand=curriculum`,
            `courses/${slug}/curriculum`,
            ...[first, second].map(({ id }) => `sections/${id}`),
            ...[preview, locked, draft, quiz].map(({ id }) => `lessons/${id}`),
          ].map((path) => api.get(`/api/v1/${path}`, { as })),
        )
        expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 200, 200, 404, 200])
        for (const { text } of replies) expect(text).not.toMatch(/MARKER|accepted_answers|"correct"|"explanation"/)
        const [shown, , , tree, , empty, open, closed, , asked] = replies.map(({ json }) => json)
        expect(shown).toMatchObject({ sections_count: 2, lessons_count: 3, preview_lessons_count: 2, duration_minutes: 3 })
        expect(titles(tree as unknown as Tree)).toEqual([['Willow', 'Soaking', 'Splitting', 'Questions'], ['Rush']])
        expect(empty).toMatchObject({ lessons_count: 0 })
        expect(open).toMatchObject({ locked: false, content: 'What Soaking says', content_html: '<p>What Soaking says</p>\n' })
        expect(closed).toMatchObject({ locked: true, lock_reason: 'not_enrolled' })
        expect(closed).not.toHaveProperty('content')
        expect(closed).not.toHaveProperty('quiz')
        expect((asked as { quiz: { questions: object[] } }).quiz.questions[0]).toEqual({
          id: 'q1',
          kind: 'single',
          prompt: 'PROMPT',
          choices: [
            { id: 'c1', text: 'one' },
            { id: 'c2', text: 'two' },
          ],
          points: 1,
        })
      }
      const staff = await get(`lessons/${quiz.id}`)
      expect(staff.text).toContain('MARKER-why')
      expect((await get(`courses/${slug}`)).json).toMatchObject({ lessons_count: 4, preview_lessons_count: 3, duration_minutes: 13 })
      await send(`courses/${course.id}/unpublish`)
      for (const path of [`courses/${slug}/curriculum`, `lessons/${preview.id}`, `sections/${first.id}`]) {
        expect((await anonymous(path)).status).toBe(404)
      }
    })

    test('see the outline of an unlisted course by its URL, and nothing of a course for members', async () => {
      const { course, first, locked } = await newCourse('Hidden')
      await send(`courses/${course.id}/publish`)
      const paths = [`courses/${course.id}/curriculum`, `sections/${first.id}`, `lessons/${locked.id}`]
      for (const [visibility, seen] of [
        ['unlisted', [200, 200]],
        ['members', [404, 200]],
      ] as const) {
        await patch(`courses/${course.id}`, { visibility })
        for (const path of paths) expect([(await anonymous(path)).status, (await get(path, learner)).status]).toEqual(seen)
      }
    })
  })

  describe('content of other people', () => {
    test('is changed by the staff and by those who teach the course, and by no other lecturer', async () => {
      const { course, first, locked, draft } = await newCourse('Mine')
      await send(`courses/${course.id}/publish`)
      const attempts = [
        ['POST', `courses/${course.id}/sections`, { title: 'x' }],
        ['PATCH', `sections/${first.id}`, { title: 'x' }],
        ['DELETE', `sections/${first.id}?cascade=true`, undefined],
        ['POST', `sections/${first.id}/lessons`, { title: 'x', kind: 'text' }],
        ['PATCH', `lessons/${locked.id}`, { title: 'x' }],
        ['POST', `lessons/${locked.id}/unpublish`, {}],
        ['DELETE', `lessons/${locked.id}`, undefined],
        ['POST', `courses/${course.id}/curriculum/import`, { sections: [] }],
        ['POST', `courses/${course.id}/duplicate`, {}],
      ] as const
      for (const [method, path, body] of attempts) {
        expect([path, (await send(path, { method, body, as: stranger })).status]).toEqual([path, 403])
        expect([path, (await send(path, { method, body, as: learner })).status]).toEqual([path, 403])
      }
      expect((await patch(`lessons/${draft.id}`, { title: 'x' }, { as: stranger })).status).toBe(404)
      expect((await patch(`lessons/${locked.id}`, { title: 'Splitting' }, { as: lecturer })).status).toBe(200)
    })
  })

  describe('lessons', () => {
    test('every pair of state and action gives what the table says', async () => {
      const { draft, course } = await newCourse('States')
      const table = [
        ['publish', 'published'],
        ['publish', 'published'],
        ['unpublish', 'draft'],
        ['unpublish', 'draft'],
      ] as const
      const before = (await treeOf(course.id)).version
      for (const [action, status] of table) {
        const reply = await send(`lessons/${draft.id}/${action}`)
        expect([action, reply.status, reply.json.status]).toEqual([action, 200, status])
      }
      expect((await treeOf(course.id)).version).toBe(before + 2)
    })

    test('report every error together, and keep their type', async () => {
      const { first, locked } = await newCourse('Faults')
      const reply = await send(`sections/${first.id}/lessons`, {
        body: {
          title: 'x',
          kind: 'text',
          quiz: { questions: [{ kind: 'single', prompt: 'x', choices: [{ text: 'a' }, { text: 'b' }] }] },
          media: { embed_url: 'https://evil.example/player' },
          drip: { mode: 'date' },
        },
      })
      expect([reply.status, new Set(fields(reply).map(([field]) => field))]).toEqual([422, new Set(['quiz', 'media.embed_url', 'drip.at'])])
      expect((await patch(`lessons/${locked.id}`, { kind: 'video' })).json.error).toBe('immutable_field')
      for (const embed_url of ['http://player.vimeo.com/1', 'https://player.vimeo.com.evil.example/', 'https://a@player.vimeo.com/']) {
        expect((await patch(`lessons/${locked.id}`, { media: { embed_url } })).status).toBe(422)
      }
      const refused = await patch(`lessons/${locked.id}`, { media: { embed_url: 'https://example.com/watch?v=1' } })
      expect(refused.json.error_description).toContain('YouTube, Vimeo, Loom')
      const played = await patch(`lessons/${locked.id}`, { media: { embed_url: 'https://vimeo.com/1/0a1b' } })
      expect(played.json.media).toMatchObject({
        embed_url: 'https://player.vimeo.com/video/1?h=0a1b&dnt=1',
        file_id: null,
        captions: [],
        url: null,
      })
    })

    test('move to the end of another section, and leave no gap', async () => {
      const { course, second, preview, locked } = await newCourse('Moves')
      const moved = await patch(`lessons/${preview.id}`, { section_id: second.id })
      expect([moved.status, moved.json.section_id, moved.json.position]).toEqual([200, second.id, 1])
      const tree = await treeOf(course.id)
      expect(titles(tree)).toEqual([
        ['Willow', 'Splitting'],
        ['Rush', 'Plaiting', 'Soaking'],
      ])
      expect((await get(`lessons/${locked.id}`)).json.position).toBe(0)
      const elsewhere = await newCourse('Elsewhere')
      expect((await patch(`lessons/${preview.id}`, { section_id: elsewhere.first.id })).json.error).toBe('invalid_reference')
    })

    test('attach only files that they may use, and release them', async () => {
      const { locked } = await newCourse('Files')
      const ready = await newFile(api.database.sql, api.school.id, { purpose: 'attachment', visibility: 'private', filename: 'table.pdf' })
      const pending = await newFile(api.database.sql, api.school.id, { purpose: 'attachment', status: 'pending' })
      const ids = [ready, pending].map((id) => toPublicId('fil', id))
      const refused = await patch(`lessons/${locked.id}`, { attachment_file_ids: ids })
      expect([refused.status, fields(refused)]).toEqual([422, [['attachment_file_ids.1', 'invalid_reference']]])
      const theirs = await patch(`lessons/${locked.id}`, { attachment_file_ids: [ids[0]] }, { as: lecturer })
      expect(theirs.status).toBe(422)
      const kept = await patch(`lessons/${locked.id}`, { attachment_file_ids: [ids[0]] })
      expect(kept.json.attachments).toMatchObject([{ file_id: ids[0], filename: 'table.pdf', byte_size: 12 }])
      expect((kept.json.attachments as { download_url: string }[])[0]?.download_url).toContain('/files/')
      const references = () => rows('SELECT field FROM file_reference WHERE school_id = $1 AND file_id = $2', [ready])
      expect(await references()).toEqual([{ field: 'attachment_file_ids' }])
      await send(`lessons/${locked.id}`, { method: 'DELETE' })
      expect(await references()).toEqual([])
    })
  })

  test('a video is played from a signed URL that expires, and excludes attachments', async () => {
    const { locked } = await newCourse('Films')
    const film = await newFile(api.database.sql, api.school.id, { purpose: 'lesson_video', visibility: 'private', filename: 'wedging.mp4' })
    const file_id = toPublicId('fil', film)
    const kept = await patch(`lessons/${locked.id}`, { media: { file_id } })
    expect(kept.json).toMatchObject({ media: { file_id, url: expect.stringContaining('/files/') }, attachments: [] })
    expect((await get(`lessons/${locked.id}`)).json.media).toMatchObject({ file_id, expires_at: expect.stringMatching(/Z$/) })
    expect((await api.get(`/api/v1/lessons/${locked.id}`)).text).not.toContain(file_id)
  })

  describe('sections', () => {
    test('keep their position, and are deleted only when empty or with their content', async () => {
      const { course, first } = await newCourse('Sections')
      const between = await send(`courses/${course.id}/sections`, { body: { title: 'Between', after_section_id: first.id } })
      expect([between.status, between.json.position]).toEqual([201, 1])
      expect((await treeOf(course.id)).sections.map(({ title, position }) => [title, position])).toEqual([
        ['Willow', 0],
        ['Between', 1],
        ['Rush', 2],
      ])
      expect((await send(`sections/${first.id}`, { method: 'DELETE' })).json.error).toBe('section_not_empty')
      const gone = await send(`sections/${first.id}?cascade=true`, { method: 'DELETE' })
      expect([gone.status, gone.headers.get('affected-enrollments')]).toEqual([204, '0'])
      expect((await treeOf(course.id)).sections.map(({ title, position }) => [title, position])).toEqual([
        ['Between', 0],
        ['Rush', 1],
      ])
      expect((await get(`courses/${course.id}`)).json).toMatchObject({ sections_count: 2, lessons_count: 1 })
    })

    test('are limited to two hundred, also under concurrent requests', async () => {
      const course = await post('courses', { title: 'Full' })
      const sections = Array.from({ length: 197 }, (_, index) => ({ external_id: `full-${index}`, title: `S ${index}` }))
      expect((await send(`courses/${course.id}/curriculum/import`, { body: { sections } })).json).toMatchObject({ created: 197 })
      const replies = await Promise.all(
        Array.from({ length: 6 }, (_, index) => send(`courses/${course.id}/sections`, { body: { title: `More ${index}` } })),
      )
      expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 409, 409, 409])
      expect(replies.find(({ status }) => status === 409)?.json.error).toBe('curriculum_full')
    })
  })

  describe('a new order', () => {
    const orderOf = ({ sections }: Tree) => sections.map(({ id, lessons }) => ({ id, lesson_ids: lessons.map((lesson) => lesson.id) }))
    const reorder = (id: string, sections: object[], etag?: string) =>
      send(`courses/${id}/curriculum_order`, { method: 'PUT', body: { sections }, headers: etag === undefined ? {} : { 'if-match': etag } })

    test('names everything once, says which version it means, and is void where the tree moved on', async () => {
      const { course, first, second, preview, locked, draft } = await newCourse('Order')
      const read = await get(`courses/${course.id}/curriculum`)
      const etag = read.headers.get('etag') as string
      const wanted = [
        { id: second.id, lesson_ids: [locked.id] },
        { id: first.id, lesson_ids: [draft.id, preview.id] },
      ]
      expect((await reorder(course.id, wanted)).json.error).toBe('precondition_required')
      const other = await newCourse('Other order')
      const wrong = await reorder(course.id, [{ id: second.id, lesson_ids: [locked.id, locked.id, other.locked.id] }], etag)
      expect([wrong.status, wrong.json.error]).toEqual([422, 'incomplete_order'])
      expect(wrong.json.details).toMatchObject([
        { field: 'sections', code: 'missing', meta: { ids: [first.id] } },
        { field: 'sections.lesson_ids', code: 'missing', meta: { ids: [preview.id, draft.id] } },
        { field: 'sections.lesson_ids', code: 'foreign', meta: { ids: [other.locked.id] } },
        { field: 'sections.lesson_ids', code: 'duplicate', meta: { ids: [locked.id] } },
      ])
      const done = await reorder(course.id, wanted, etag)
      expect(done.status).toBe(200)
      expect(orderOf(done.json as unknown as Tree)).toEqual(wanted)
      expect((await get(`courses/${course.id}/curriculum`)).headers.get('etag')).toBe(done.headers.get('etag'))
      expect((await reorder(course.id, wanted, etag)).status).toBe(412)
    })

    test('one of two concurrent changes is accepted', async () => {
      const { course } = await newCourse('Race')
      const read = await get(`courses/${course.id}/curriculum`)
      const order = orderOf(read.json as unknown as Tree)
      const replies = await Promise.all(
        [order.toReversed(), order.map((section) => ({ ...section, lesson_ids: section.lesson_ids.toReversed() }))].map((sections) =>
          reorder(course.id, sections, read.headers.get('etag') as string),
        ),
      )
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 412])
    })

    test('turns a thousand lessons round while others change them, and every request ends', async () => {
      const course = await post('courses', { title: 'Thousand' })
      const sections = Array.from({ length: 10 }, (_, section) => ({
        external_id: `thousand-${section}`,
        title: `S ${section}`,
        lessons: Array.from({ length: 100 }, (_, lesson) => ({
          external_id: `thousand-${section}-${lesson}`,
          title: `L ${section} ${lesson}`,
          kind: 'text',
        })),
      }))
      expect((await send(`courses/${course.id}/curriculum/import`, { body: { sections } })).json).toMatchObject({ created: 1010 })
      const tree = await treeOf(course.id)
      const wanted = orderOf(tree)
        .toReversed()
        .map(({ id, lesson_ids }) => ({ id, lesson_ids: lesson_ids.toReversed() }))
      const lessons = wanted.flatMap(({ lesson_ids }) => lesson_ids)
      const [done, ...changed] = await Promise.all([
        reorder(course.id, wanted, '*'),
        ...lessons.slice(0, 5).map((id) => patch(`lessons/${id}`, { title: 'Changed' })),
      ])
      expect([done?.status, ...changed.map(({ status }) => status)]).toEqual([200, 200, 200, 200, 200, 200])
      expect(orderOf(await treeOf(course.id))).toEqual(wanted)
      const full = await send(`sections/${tree.sections[0]?.id}/lessons`, { body: { title: 'x', kind: 'text' } })
      expect([full.status, full.json.error]).toEqual([409, 'curriculum_full'])
    })
  })

  describe('an import', () => {
    test('is in the change feed of sections and lessons: created, moved and deleted rows', async () => {
      const course = await post('courses', { title: 'Followed' })
      const changes = () =>
        rows(
          `SELECT type, action, count(*)::int AS n FROM change_log
            WHERE school_id = $1 AND type IN ('section', 'lesson') AND NOT (id = ANY ($2::uuid[])) GROUP BY 1, 2 ORDER BY 1, 2`,
          [before.map(({ id }) => id)],
        )
      const before = await rows<{ id: string }>('SELECT id FROM change_log WHERE school_id = $1')
      const lesson = (external_id: string) => ({ external_id, title: 'x', kind: 'text' })
      const section = (...keys: string[]) => ({ external_id: 'followed', title: 'x', lessons: keys.map(lesson) })
      await importInto(course.id, { sections: [section('f1', 'f2')] })
      await importInto(course.id, { mode: 'replace', sections: [section('f2')] })
      await send(`sections/${(await treeOf(course.id)).sections[0]?.id}?cascade=true`, { method: 'DELETE' })
      expect(await changes()).toEqual([
        { type: 'lesson', action: 'created', n: 2 },
        { type: 'lesson', action: 'deleted', n: 2 },
        { type: 'lesson', action: 'updated', n: 1 },
        { type: 'section', action: 'created', n: 1 },
        { type: 'section', action: 'deleted', n: 1 },
      ])
    })

    const importInto = (id: string, body: object) => send(`courses/${id}/curriculum/import`, { body })

    test('adds new rows, updates rows with a known key, and has no effect the second time', async () => {
      const course = await post('courses', { title: 'Imported' })
      const body = {
        sections: [
          {
            external_id: 'a',
            title: 'A',
            lessons: [{ external_id: 'a1', title: 'A1', kind: 'text', content: '*a*', status: 'published' }],
          },
          { external_id: 'b', title: 'B', lessons: [{ external_id: 'b1', title: 'B1', kind: 'video', duration_seconds: 60 }] },
        ],
      }
      expect((await importInto(course.id, body)).json).toMatchObject({ created: 4, updated: 0, deleted: 0 })
      expect((await importInto(course.id, body)).json).toMatchObject({ created: 0, updated: 0, deleted: 0 })
      const own = await post(`courses/${course.id}/sections`, { title: 'By hand' })
      const moved = {
        sections: [{ external_id: 'b', title: 'B two', lessons: [{ external_id: 'a1', title: 'A1', kind: 'text', content: '*b*' }] }],
      }
      const merged = await importInto(course.id, moved)
      expect(merged.json).toMatchObject({ created: 0, updated: 2, deleted: 0 })
      expect(titles(merged.json.tree as Tree)).toEqual([['A'], ['B two', 'B1', 'A1'], ['By hand']])
      const replaced = await importInto(course.id, { ...moved, mode: 'replace' })
      expect(replaced.json).toMatchObject({ created: 0, deleted: 3 })
      expect(titles(replaced.json.tree as Tree)).toEqual([['B two', 'A1']])
      const id = (replaced.json.tree as Tree).sections[0]?.lessons[0]?.id
      expect((await get(`lessons/${id}`)).json).toMatchObject({ content_html: '<p><em>b</em></p>\n', status: 'published' })
      expect((await get(`sections/${own.id}`)).status).toBe(404)
      expect((await get(`courses/${course.id}/curriculum`)).json).toEqual(replaced.json.tree)
    })

    test('reports every error together and has no effect', async () => {
      const theirs = await post('courses', { title: 'Theirs' })
      await importInto(theirs.id, { sections: [{ external_id: 'taken', title: 'x' }] })
      const course = await post('courses', { title: 'Faulty' })
      const reply = await importInto(course.id, {
        sections: [
          { external_id: 'taken', title: 'x' },
          {
            external_id: 'c',
            title: 'x',
            lessons: [
              { external_id: 'c1', title: 'x', kind: 'text', drip: { mode: 'date' } },
              { external_id: 'c1', title: 'x', kind: 'text', content_format: 'html' },
            ],
          },
        ],
      })
      expect([reply.status, new Set(fields(reply).map(String))]).toEqual([
        422,
        new Set([
          'sections.0.external_id,external_id_taken',
          'sections.1.lessons.1.external_id,duplicate',
          'sections.1.lessons.0.drip.at,required',
          'sections.1.lessons.1.content,required',
        ]),
      ])
      expect((await treeOf(course.id)).sections).toEqual([])
    })
  })

  describe('courses', () => {
    test('are copied as drafts with all they hold', async () => {
      const { course, preview } = await newCourse('Original')
      const copy = await send(`courses/${course.id}/duplicate`, { as: lecturer, body: { title: 'Copy' } })
      expect(copy).toMatchObject({
        status: 201,
        json: { title: 'Copy', slug: 'copy', status: 'draft', lessons_count: 3, sections_count: 2 },
      })
      expect(copy.json.lecturers).toHaveLength(1)
      const [before, after] = [await treeOf(course.id), await treeOf(String(copy.json.id))]
      expect(titles(after)).toEqual(titles(before))
      expect(after.sections[0]?.lessons[0]?.id).not.toBe(preview.id)
      expect((await get(`lessons/${after.sections[0]?.lessons[0]?.id}`)).json.content).toBe('What Soaking says')
      const bare = await send(`courses/${course.id}/duplicate`, { body: { include_curriculum: false } })
      expect(bare.json).toMatchObject({ title: 'Original (copy)', lessons_count: 0 })
      expect((await send(`courses/${course.id}/duplicate`, { body: { slug: 'copy' } })).json.error).toBe('slug_taken')
    })

    test('are ordered and given lecturers by the staff alone', async () => {
      const [one, two] = [await post('courses', { title: 'One' }), await post('courses', { title: 'Two' })]
      const put = (path: string, body: object, as = owner) => send(path, { method: 'PUT', body, as })
      expect((await put('courses/positions', { course_ids: [two.id, one.id] })).status).toBe(204)
      const list = (await get('courses?sort=position&limit=2')).json.data as { id: string }[]
      expect(list.map(({ id }) => id)).toEqual([two.id, one.id])
      expect((await put('courses/positions', { course_ids: [one.id, one.id] })).json.error).toBe('validation_failed')
      expect((await put('courses/positions', { course_ids: ['crs_01jgwejj00e6srgkpqm2sqf05m'] })).json.error).toBe('invalid_reference')
      expect((await put('courses/positions', { course_ids: [] }, lecturer)).status).toBe(403)
      const [teacher] = (await get('courses/clay-from-scratch')).json.lecturers as { id: string }[]
      const taught = await put(`courses/${one.id}/lecturers`, { lecturer_ids: [teacher?.id] })
      expect([taught.status, (taught.json.lecturers as object[]).length]).toEqual([200, 1])
      expect((await put(`courses/${one.id}/lecturers`, { lecturer_ids: [teacher?.id, teacher?.id] })).status).toBe(422)
      expect((await put(`courses/${one.id}/lecturers`, { lecturer_ids: [] }, lecturer)).status).toBe(403)
    })

    test('show their description as safe HTML, in the format that is named', async () => {
      const course = await post('courses', { title: 'Described', description: '*a* <b>b</b>' })
      expect((await get(`courses/${course.id}`)).json.description_html).toBe('<p><em>a</em> &lt;b&gt;b&lt;/b&gt;</p>\n')
      const html = await patch(`courses/${course.id}`, {
        description_format: 'html',
        description: '<b onclick="x">b</b><script>1</script>',
      })
      expect(html.json.description_html).toBe('<b>b</b>')
      expect((await patch(`courses/${course.id}`, { description: null })).json.description_html).toBeNull()
    })
  })
})
