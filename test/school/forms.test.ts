import { parse } from 'csv-parse/sync'
import { beforeAll, expect, test } from 'vitest'
import { toPublicId } from '../../src/base/ids.ts'
import { checkAnswers } from '../../src/school/forms/checkAnswers.ts'
import { newForm, newPeople, newSubmission, type SomebodyNew } from '../support/community.ts'
import { describeDemoOn } from './describeDemo.ts'

const owner = 'owner@example.com'
const people = [undefined, 'learner001@example.org', 'lecturer1@example.com']

describeDemoOn('first', 'forms, on $name', (api) => {
  let form: string
  let wren: SomebodyNew
  beforeAll(async () => {
    const { sql } = api.database
    form = await newForm(sql, api.school.id, { slug: 'ask-us' })
    ;[wren] = (await newPeople(sql, api.school.id, 1)) as [SomebodyNew]
    const answers = { which_clay: 'Porcelain', days: ['Monday', 'Friday'], why: '=HYPERLINK("http://evil.example")' }
    await newSubmission(sql, api.school.id, form, { answers, personId: wren.id, email: 'wren@example.org' })
    await newSubmission(sql, api.school.id, form, {
      answers: { which_clay: 'Porcelain', days: ['Friday'] },
      email: 'other@example.org',
      ago: '2 days',
    })
    await newSubmission(sql, api.school.id, form, { spam: true, email: 'spam@example.org' })
    await newSubmission(sql, api.school.id, form, { ago: '40 days', email: 'late@example.org' })
  })

  const id = () => toPublicId('frm', form)
  const submissions = async (query: string) =>
    ((await api.get(`/api/v1/form_submissions?form_id=${id()}&${query}`, { as: owner })).json.data as { contact: { email: string } }[]).map(
      ({ contact }) => contact.email,
    )

  test('show their questions to everybody, and how often they were sent in to the staff', async () => {
    const shown = (await api.get('/api/v1/forms/ask-us')).json
    expect(shown).toMatchObject({
      id: id(),
      status: 'published',
      pages: [],
      fields: [
        { key: 'which_clay', required: true, options: ['Stoneware', 'Porcelain'], help: null },
        { key: 'days', required: false },
        {},
      ],
    })
    expect(shown).not.toHaveProperty('submissions_count')
    expect((await api.get('/api/v1/forms/ask-us', { as: owner })).json).toHaveProperty('submissions_count')
  })

  test('are there until they close, by hand or by the clock, and drafts are not', async () => {
    const { sql } = api.database
    const over = await newForm(sql, api.school.id)
    await sql.query(`UPDATE form SET closes_at = now() - interval '1 minute' WHERE id = $1`, [over])
    const others = [
      over,
      await newForm(sql, api.school.id, { status: 'draft' }),
      await newForm(sql, api.school.id, { status: 'closed' }),
    ].map((one) => toPublicId('frm', one))
    for (const as of people) for (const one of others) expect((await api.get(`/api/v1/forms/${one}`, { as })).status).toBe(404)
    const states = await Promise.all(others.map(async (one) => (await api.get(`/api/v1/forms/${one}`, { as: owner })).json.status))
    expect(states).toEqual(['closed', 'draft', 'closed'])
    const closed = (await api.get('/api/v1/forms?status=closed&limit=100', { as: owner })).json.data as { id: string }[]
    expect(closed.map((one) => one.id)).toEqual(expect.arrayContaining([others[0], others[2]]))
    const visible = (await api.get('/api/v1/forms?limit=100')).json.data as { id: string }[]
    expect(visible.filter((one) => others.includes(one.id))).toEqual([])
  })

  test('name the public pages that show them, and no draft', async () => {
    const page = async (slug: string, isPublished: boolean) => {
      const blocks = [{ type: 'form', props: { form_id: id() } }]
      const made = await api.send('/api/v1/pages', { as: owner, body: { title: slug, slug, blocks } })
      if (isPublished) await api.send(`/api/v1/pages/${made.json.id}/publish`, { as: owner, body: {} })
      return made.json.id
    }
    const shown = await page('ask', true)
    await page('ask-later', false)
    expect((await api.get('/api/v1/forms/ask-us', { as: owner })).json.pages).toEqual([{ id: shown, slug: 'ask' }])
  })

  test('submissions are visible to staff only', async () => {
    const [row] = (await api.get(`/api/v1/form_submissions?form_id=${id()}`, { as: owner })).json.data as { id: string }[]
    for (const path of ['/form_submissions', `/form_submissions/${row?.id}`, `/forms/${id()}/submissions`, `/forms/${id()}/summary`]) {
      for (const as of people) expect([path, as, (await api.get(`/api/v1${path}`, { as })).status]).toEqual([path, as, 403])
      expect([path, (await api.get(`/api/v1${path}`, { as: owner })).status]).toEqual([path, 200])
    }
    expect((await api.get(`/api/v1/form_submissions/${row?.id}?expand=form`, { as: owner })).json).toMatchObject({ form: { id: id() } })
  })

  test('is found by form, address, person and time', async () => {
    expect(await submissions('')).toEqual(
      ['wren@example.org', 'spam@example.org', 'other@example.org', 'late@example.org'].toSorted((a) =>
        a === 'spam@example.org' ? -1 : 0,
      ),
    )
    expect(await submissions('spam=true')).toEqual(['spam@example.org'])
    expect(await submissions('email=OTHER@example.org')).toEqual(['other@example.org'])
    expect(await submissions(`student_id=${toPublicId('std', wren.id)}`)).toEqual(['wren@example.org'])
    expect(await submissions(`submitted_at[lt]=${encodeURIComponent(new Date(Date.now() - 86_400_000 * 3).toISOString())}`)).toEqual([
      'late@example.org',
    ])
  })

  test('leaves as CSV with a column for each question, in which no cell is a formula', async () => {
    for (const path of [`/forms/${id()}/submissions`, `/form_submissions?form_id=${id()}`]) {
      const { text, headers } = await api.get(`/api/v1${path}`, { as: owner, headers: { accept: 'text/csv' } })
      expect(headers.get('content-type')).toContain('text/csv')
      const [head = '', ...lines] = text.trim().split('\r\n')
      expect(head.split(',').filter((column) => column.startsWith('answers.'))).toEqual([
        'answers.which_clay',
        'answers.days',
        'answers.why',
      ])
      expect(lines).toHaveLength(4)
      expect(text).toContain(`"'=HYPERLINK(""http://evil.example"")"`)
      expect(text).toContain('"[""Monday"",""Friday""]"')
    }
    const ndjson = await api.get(`/api/v1/forms/${id()}/submissions`, { as: owner, headers: { accept: 'application/x-ndjson' } })
    expect(ndjson.text.trim().split('\n')).toHaveLength(4)
  })

  test('keep the columns of questions that the form no longer has, after the present ones', async () => {
    const { sql } = api.database
    const changed = await newForm(sql, api.school.id)
    await newSubmission(sql, api.school.id, changed, {
      answers: { which_clay: 'Porcelain', days: ['Friday'], glaze: 'Shino', __proto__2: 'x' },
    })
    await sql.query('UPDATE form SET fields = $2 WHERE id = $1', [
      changed,
      JSON.stringify(
        [
          { key: 'why', label: 'Why?' },
          { key: 'which_clay', label: 'Why?' },
          { key: 'name', label: 'Ваше имя, please' },
        ].map((field) => ({ ...field, kind: 'text' })),
      ),
    ])
    const path = `/api/v1/forms/${toPublicId('frm', changed)}/submissions`
    const columnsOf = async (query: string) => {
      const { text } = await api.get(`${path}${query}`, { as: owner, headers: { accept: 'text/csv' } })
      return parse(text, { bom: true, delimiter: [',', ';'] }) as string[][]
    }
    const [head = [], row = []] = await columnsOf('')
    expect(head.filter((column) => column.startsWith('answers.'))).toEqual(
      ['why', 'which_clay', 'name', '__proto__2', 'days', 'glaze'].map((key) => `answers.${key}`),
    )
    expect(row[head.indexOf('answers.glaze')]).toBe('Shino')
    const [forPeople = []] = await columnsOf('?csv=excel')
    const first = forPeople.findIndex((heading) => heading.startsWith('Why?'))
    expect(forPeople.slice(first, first + 6)).toEqual([
      'Why? (why)',
      'Why? (which_clay)',
      'Ваше имя, please',
      ...['__proto__2', 'days', 'glaze'].map((key) => `answers.${key}`),
    ])
  })

  test('is summed up: by day, and by choice, spam apart', async () => {
    const { submissions, by_day, choices } = (await api.get(`/api/v1/forms/${id()}/summary`, { as: owner })).json as {
      submissions: number
      by_day: { date: string; count: number }[]
      choices: object
    }
    expect(submissions).toBe(3)
    expect(by_day).toHaveLength(30)
    expect(by_day.reduce((sum, { count }) => sum + count, 0)).toBe(2)
    expect(by_day.map(({ date }) => date).toSorted()).toEqual(by_day.map(({ date }) => date))
    expect(choices).toEqual({ which_clay: { Stoneware: 1, Porcelain: 2 }, days: { Monday: 1, Friday: 2 } })
  })
})

test('a text without a visible character answers no required question, and zero answers one', () => {
  const questions = [
    { key: 'text', kind: 'text', required: true },
    { key: 'number', kind: 'number', required: true },
  ]
  for (const text of ['', '  ', '\u00a0', '\u200b', '\t\n', '\u2060\ufeff'])
    expect(checkAnswers(questions, { text, number: 0 })).toMatchObject([{ field: 'answers.text', code: 'required' }])
  for (const text of ['0', '-', 'ß', '字']) expect(checkAnswers(questions, { text, number: 0 })).toEqual([])
})
