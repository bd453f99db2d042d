import { beforeAll, describe, expect, test } from 'vitest'
import { makeDemoSchool } from '../../src/operate/demo/makeDemoSchool.ts'
import { refreshSchool } from '../../src/school/analytics/rollups/refreshSchool.ts'
import { png as picture } from '../school/files/storageService.ts'
import { personCalled } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { blocksOf, createWorkplace } from '../support/literal.ts'
import { createPublishedReader, type PublishedReader, type ResourceDocument } from '../support/publishedReader.ts'
import { startService } from '../support/service.ts'

/** How many requests of all jobs together the service may refuse, and what they may cost. */
const [maxRefused, maxTokens] = [5, 75_000]
const charactersPerToken = 4

const service = duringTests(() => startService())
let agent: PublishedReader
beforeAll(async () => {
  const [entry] = service.app.schools.all
  if (!entry) throw new Error('the service has no school')
  await makeDemoSchool(service.database, { school: entry.school, now: new Date(), hashPassword: async () => 'no password' })
  await refreshSchool(service.database, { schoolId: service.schoolId(), now: new Date() })
  await service.addPerson({ email: 'new.owner@example.com', role: 'owner' })
  agent = createPublishedReader(service.issuer)
})

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString()

describe('an agent that reads only what the service publishes does the work of a school', () => {
  /** Rows that one job makes and a later one needs. */
  const kept = { course: '', coupon: '', post: '', home: '', homeRevision: 0, student: '' }
  const job = (name: string, work: () => Promise<void>): void =>
    test(name, async () => {
      agent.begin(name)
      await work()
    })

  /** Uploads the picture as the document of uploads describes it. Returns the id of its file. */
  const uploadPicture = async (): Promise<string> => {
    const uploads = await agent.resource('uploads', 'bodies')
    const announce = await agent.operation('Add', 'upload')
    const reply = await agent.call(announce, {
      body: {
        [uploads.member(announce, 'Name under which')]: 'loom.png',
        [uploads.member(announce, 'Media type')]: 'image/png',
        [uploads.member(announce, 'Size in bytes')]: picture.length,
        [uploads.member(announce, 'Purpose of the file')]: 'image',
      },
    })
    expect([reply.status, reply.json.error_description]).toEqual([201, undefined])
    const { method, url, headers } = reply.json.upload
    expect((await fetch(url, { method, headers, body: new Uint8Array(picture) })).status).toBeLessThan(300)
    return reply.json.file_id
  }
  /** Returns a word that a field can have, as its document lists it. */
  const wordOf = (document: ResourceDocument, field: string, word: string): string => {
    expect(document.words(field)).toContain(word)
    return word
  }
  /** Returns a picture as a field of the document takes it. */
  const pictureFor = ({ text }: ResourceDocument, field: string, file: string, alt: string): object => {
    const [, id = ''] = new RegExp(`\\| \`${field}\\.(\\w+)\` \\| fil`).exec(text) ?? []
    const [, words = ''] = new RegExp(`\\| \`${field}\\.(\\w+)\` \\|[^\\n]*Alternative text`).exec(text) ?? []
    return { [id]: file, [words]: alt }
  }

  job('1 says what is sold', async () => {
    const pricing = await agent.read(await agent.linkTo('Pricing'))
    expect(pricing.match(/^\| \[.*\| [\d.]+ \| [A-Z]{3} \|/gm)?.length).toBeGreaterThan(3)
  })

  job('2 registers and gets a token, with the script of auth.md', async () => {
    const text = await agent.read(await agent.linkTo('auth.md'))
    const [save] = blocksOf(text)
    const scopes = [...(text.split('\n## Scopes\n')[1] ?? '').matchAll(/^- ([\w:]+): /gm)].map(([, name]) => name)
    const place = await createWorkplace('dash')
    try {
      await place.run(save?.text ?? '')
      const { out } = await place.run(`sh school.sh begin '${scopes.join(' ')}' 'Helper of the owner'`)
      const redirect = await personCalled('new.owner@example.com').authorize(out.trim(), { scopes: 'all' })
      expect((await place.run(`sh school.sh finish '${redirect}'`)).out).toContain('granted: ')
      agent.token = (await place.run('sh school.sh token')).out.trim()
    } finally {
      await place.remove()
    }
    expect(agent.token).toMatch(/^\S{20,}$/)
  })

  job('3 writes a course with nine lessons, a quiz and a picture, and publishes it', async () => {
    const [courses, lessons] = [await agent.resource('courses', 'fields,bodies'), await agent.resource('lessons', 'fields')]
    const create = await agent.operation('Add', 'a course')
    const made = await agent.call(create, { body: { [courses.field('Name of the course')]: 'Loom for beginners' } })
    expect(made.status).toBe(201)
    kept.course = made.json.id
    const section = await agent.call(await agent.operation('Add', 'section'), { path: [kept.course], body: { title: 'First steps' } })
    const addLesson = await agent.operation('Add', 'lesson')
    const publishLesson = await agent.operation('Publish', 'lesson')
    const kind = lessons.field('Kind of the lesson')
    const add = async (title: string, others: object): Promise<void> => {
      const lesson = await agent.call(addLesson, { path: [section.json.id], body: { title, ...others } })
      expect([title, lesson.status, lesson.json.error_description]).toEqual([title, 201, undefined])
      await agent.call(publishLesson, { path: [lesson.json.id], body: {} })
    }
    for (let number = 1; number <= 9; number += 1)
      await add(`Lesson ${number}`, { [kind]: wordOf(lessons, kind, 'text'), [lessons.field('Text of the lesson')]: 'Warp, then weft.' })
    const last = (path: string): string => path.split('.').at(-1) ?? ''
    const question = {
      [last(lessons.field('Kind of the question'))]: wordOf(lessons, lessons.field('Kind of the question'), 'single'),
      [last(lessons.field('Text of the question'))]: 'Which thread is fixed?',
      [last(lessons.field('Choices; empty'))]: ['Warp', 'Weft'].map((text, index) => ({
        [last(lessons.field('Text of the choice'))]: text,
        [last(lessons.field('True if the choice is correct'))]: index === 0,
      })),
      [last(lessons.field('Points for a correct answer'))]: 2,
    }
    await add('Do you know it?', {
      [kind]: wordOf(lessons, kind, 'quiz'),
      [lessons.field('Quiz; only')]: { [last(lessons.field('Questions of the quiz'))]: [question] },
    })
    const uploaded = await uploadPicture()
    const cover = courses.field('Picture of the course')
    const change = await agent.operation('Change one course')
    const illustrated = await agent.call(change, { path: [kept.course], body: { [cover]: pictureFor(courses, cover, uploaded, 'A loom') } })
    expect([illustrated.status, illustrated.json[cover]?.alt]).toEqual([200, 'A loom'])
    const lecturer = (await agent.call(await agent.operation('List lecturers'), { query: { limit: '1' } })).json.data[0].id
    const setLecturers = await agent.operation('lecturers of a course')
    await agent.call(setLecturers, { path: [kept.course], body: { [courses.member(setLecturers, 'lec_')]: [lecturer] } })
    const published = await agent.call(await agent.operation('Publish a course'), { path: [kept.course], body: {} })
    expect([published.status, published.json.error_description, published.json.lessons_count]).toEqual([200, undefined, 10])
  })

  job('4 makes a coupon of 20 % for that course', async () => {
    const coupons = await agent.resource('coupons', 'fields')
    const discount = coupons.field('Cannot be changed after the coupon was used')
    const [type = '', percent = ''] = coupons.form(discount, 'percent')
    const items = coupons.field('Applies only to these items')
    const [scope = '', list = ''] = items.split('.')
    const made = await agent.call(await agent.operation('Add', 'coupon'), {
      body: {
        [coupons.field('Code that people type')]: 'LOOM20',
        [discount]: { [type]: 'percent', [percent]: 20 },
        [scope]: { [list]: [{ type: 'course', id: kept.course }] },
      },
    })
    expect([made.status, made.json.error_description]).toEqual([201, undefined])
    kept.coupon = made.json.id
  })

  job('5 imports fifty students and enrols them', async () => {
    const [students, enrollments] = [await agent.resource('students', 'fields,bodies'), await agent.resource('enrollments', 'bodies')]
    const bulk = await agent.operation('Add or change many students')
    const rows = Array.from({ length: 50 }, (_one, index) => ({
      [students.field('E-mail address')]: index === 7 ? 'no address' : `weaver${index}@example.com`,
      [students.field('Name')]: `Weaver ${index}`,
    }))
    const added = await agent.call(bulk, { body: { [students.member(bulk, 'Objects in the form')]: rows } })
    const results = added.json.results as { status: number; index: number; id?: string }[]
    expect([added.status, results.filter(({ status }) => status >= 400).map(({ index }) => index)]).toEqual([207, [7]])
    const enrol = await agent.operation('Enrol many students')
    const items = enrollments.member(enrol, 'Enrolments to create')
    const email = enrollments.member(enrol, 'items[]', 'E-mail address of the student').split('.').at(-1) ?? ''
    const course = enrollments.member(enrol, 'items[]', 'The course').split('.').at(-1) ?? ''
    const people = rows.filter((_row, index) => index !== 7)
    const enrolled = await agent.call(enrol, {
      body: { [items]: people.map((row) => ({ [email]: row[students.field('E-mail address')], [course]: kept.course })) },
    })
    expect((enrolled.json.results as { status: number }[]).every(({ status }) => status < 300)).toBe(true)
  })

  job('6 finds who has not completed the second lesson', async () => {
    const [progress, enrollments] = [await agent.resource('lesson_progress', 'filters'), await agent.resource('enrollments', 'filters')]
    const outline = await agent.call(await agent.operation('Get the sections and lessons'), { path: [kept.course] })
    const second = outline.json.sections[0].lessons[1].id
    const filter = enrollments.parameter('not completed') ?? enrollments.parameter('have not', 'lesson')
    const lists = await agent.operation('List enrollments of one course')
    const enrolled = await agent.call(lists, {
      path: [kept.course],
      query: { limit: '100', fields: 'student_id', ...(filter && { [filter]: second }) },
    })
    expect([enrolled.status, enrolled.json.data.length]).toEqual([200, 49])
    if (filter) return
    const lesson = progress.parameter('lesson') ?? ''
    const status = progress.parameter('Progress in the lesson') ?? ''
    const done = await agent.call(await agent.operation('List lesson progress'), {
      query: { [lesson]: second, [status]: 'completed', limit: '100' },
    })
    expect([done.status, done.json.data]).toEqual([200, []])
  })

  job('7 reports the revenue by month and product', async () => {
    const analytics = await agent.resource('analytics', 'filters')
    const revenue = await agent.operation('Get the revenue')
    const year = new Date().getUTCFullYear()
    const query = {
      [analytics.parameter('First day') ?? '']: `${year}-01-01`,
      [analytics.parameter('Last day') ?? '']: `${year}-12-31`,
      [analytics.parameter('Length of an element') ?? '']: 'month',
      [analytics.parameter('Adds groups') ?? '']: 'product',
      fields: 'series.date,groups.title,groups.series.date,groups.series.net.amount',
    }
    const { status, json } = await agent.call(revenue, { query })
    expect([status, json.series.length]).toEqual([200, 12])
    expect(json.groups.length).toBeGreaterThan(3)
  })

  job('8 learns at the first try that comments are answered and hidden elsewhere', async () => {
    const { text } = await agent.resource('comments', 'operations')
    const comments = await agent.call(await agent.operation('List comments'), { query: { limit: '1' } })
    const tried = await agent.call(
      { method: 'POST', path: '/comments/{id}/hide', summary: '' },
      { path: [comments.json.data[0].id], body: {} },
    )
    const sentence = /Not in this API: [^.]*comments\./.exec(text)?.[0] ?? 'no sentence'
    expect([tried.status, tried.json.error_description]).toEqual([404, expect.stringContaining(sentence)])
  })

  job('9 moves an event by a week, and lists who comes', async () => {
    const events = await agent.resource('events', 'fields,bodies')
    const { data } = (
      await agent.call(await agent.operation('List events'), { query: { [events.parameter('phase') ?? 'phase']: 'upcoming', limit: '1' } })
    ).json
    const [starts, ends] = [events.field('When it begins'), events.field('When it ends')]
    const later = (time: string): string => new Date(Date.parse(time) + 7 * 86_400_000).toISOString()
    const moved = await agent.call(await agent.operation('Change one event'), {
      path: [data[0].id],
      body: { [starts]: later(data[0][starts]), [ends]: later(data[0][ends]) },
    })
    expect([moved.status, moved.json[starts]]).toEqual([200, later(data[0][starts])])
    expect((await agent.call(await agent.operation('List RSVPs of one event'), { path: [data[0].id] })).status).toBe(200)
  })

  job('10 writes a post with a picture, and schedules it', async () => {
    const posts = await agent.resource('posts', 'fields,bodies')
    const cover = posts.field('Picture of the post')
    const made = await agent.call(await agent.operation('Add a post'), {
      body: {
        [posts.field('Title of the post')]: 'The loom is here',
        [posts.field('The text; absent')]: 'Come and see it.',
        [cover]: pictureFor(posts, cover, await uploadPicture(), 'A loom'),
      },
    })
    expect([made.status, made.json.error_description]).toEqual([201, undefined])
    kept.post = made.json.id
    const publish = await agent.operation('Publish a post')
    const time = posts.member(publish, 'date-time')
    const scheduled = await agent.call(publish, { path: [kept.post], body: { [time]: inDays(3) } })
    expect([scheduled.status, scheduled.json.status]).toEqual([200, 'scheduled'])
  })

  job('11 changes the colours and the home page', async () => {
    const [appearance, pages] = [
      await agent.resource('appearance', 'fields'),
      await agent.resource('pages', 'operations,fields,bodies,filters'),
    ]
    const [palette = '', primary = ''] = appearance.field('Buttons and links').split('.')
    const recoloured = await agent.call(await agent.operation('Change the appearance'), { body: { [palette]: { [primary]: '#7a2e1d' } } })
    expect([recoloured.status, recoloured.json[palette]?.[primary]]).toEqual([200, '#7a2e1d'])
    const { json } = await agent.call(await agent.operation('List pages'), {
      query: { [pages.parameter('Purpose of the page') ?? '']: 'home' },
    })
    const [home] = json.data
    kept.home = home.id
    const blocks = pages.field('Content of the page')
    const [, type = '', props = '', heading = ''] = pages.form(`${blocks}[]`, 'hero')
    const change = await agent.operation('Change one page')
    const current = await agent.call(await agent.operation('Show one page'), { path: [kept.home] })
    const hero = { [type]: 'hero', [props]: { [heading]: 'Learn to weave' } }
    const needed = new RegExp(`\`${change.method} ${RegExp.escape(change.path)}\`.*If-Match required`).test(pages.text)
    const changed = await agent.call(change, {
      path: [kept.home],
      body: { [blocks]: [hero, ...current.json[blocks]] },
      headers: needed ? { 'if-match': current.headers.get('etag') ?? '' } : {},
    })
    expect([changed.status, changed.json[blocks]?.[0]?.[props]?.[heading]]).toEqual([200, 'Learn to weave'])
    expect((await agent.call(await agent.operation('Publish', 'page'), { path: [kept.home], body: {} })).status).toBe(200)
  })

  job('12 takes back what can be taken back, and learns what cannot', async () => {
    const revisions = await agent.call(await agent.operation('List the revisions'), { path: [kept.home] })
    const [, before] = revisions.json.data as { number: number }[]
    if (before) {
      const restored = await agent.call(await agent.operation('Restore a revision'), { path: [kept.home, String(before.number)], body: {} })
      expect(restored.status).toBe(200)
    }
    await agent.call(await agent.operation('Archive', 'coupon'), { path: [kept.coupon], body: {} })
    expect((await agent.call(await agent.operation('Restore', 'coupon'), { path: [kept.coupon], body: {} })).status).toBe(200)
    expect(await agent.read(await agent.linkTo('api.md'))).toContain('can be taken back for some days')
    const own = await agent.call(await agent.operation('List what the calling app changed'), {
      query: { limit: '5', fields: 'operation,undo.possible' },
    })
    const [latest] = own.json.data as { id: string; operation: string; undo: { possible: boolean } }[]
    expect([latest?.operation, latest?.undo.possible]).toEqual(['restoreCoupon', true])
    const undone = await agent.call(await agent.operation('Take back what a request changed'), { path: [latest?.id ?? ''], body: {} })
    expect([undone.status, undone.json.error_description]).toEqual([200, undefined])
  })

  test(`all jobs together had at most ${maxRefused} refused requests, and cost at most ${maxTokens} tokens`, () => {
    const jobs = [...agent.costs].map(([name, { calls, refused, characters }]) => ({
      calls,
      refused,
      tokens: Math.round(characters / charactersPerToken),
      name,
    }))
    const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0)
    const refused = sum(jobs.map((one) => one.refused))
    const total = { calls: sum(jobs.map(({ calls }) => calls)), refused, tokens: sum(jobs.map(({ tokens }) => tokens)), name: 'all' }
    const line = (cells: readonly unknown[]): string => `${cells.map((cell) => String(cell).padStart(7)).join(' ')}\n`
    process.stdout.write(`${line(['calls', 'refused', 'tokens'])}${[...jobs, total].map((one) => line(Object.values(one))).join('')}`)
    for (const { remarks } of agent.costs.values()) for (const remark of remarks) process.stdout.write(`${remark}\n`)
    expect(agent.costs.size).toBe(12)
    expect(refused).toBeLessThanOrEqual(maxRefused)
    expect(total.tokens).toBeLessThanOrEqual(maxTokens)
  })
})
