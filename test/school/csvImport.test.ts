import { beforeAll, expect, test } from 'vitest'
import { newId } from '../../src/base/ids.ts'
import { describeDemo, describeDemoOn } from './describeDemo.ts'
import { learner, learningIn, owner } from './learning.ts'

interface Result {
  index: number
  row: number
  key: string
  status: number
  error?: { details: { field: string; message: string }[] }
}

describeDemoOn('last', 'importing CSV, on $name', (api) => {
  let school: ReturnType<typeof learningIn>
  beforeAll(() => {
    school = learningIn(api)
  })

  const upload = (path: string, body: string, as = owner, query = '') =>
    school.send(`${path}/bulk${query}`, { as, headers: { 'content-type': 'text/csv; charset=utf-8' }, body })
  const results = async (path: string, body: string) => {
    const reply = await upload(path, body)
    expect([reply.status, reply.json.error_description]).toEqual([207, undefined])
    return reply.json.results as Result[]
  }
  const student = async (email: string) =>
    ((await school.get(`students?email=${encodeURIComponent(email)}`)).json.data as Record<string, unknown>[])[0]
  const exported = async (path: string) => (await api.get(`/api/v1/${path}`, { as: owner, headers: { accept: 'text/csv' } })).text

  test.each(['students', 'members', 'enrollments'])('the exported file of %s is accepted as it is, and changes nothing', async (path) => {
    const course = await school.newCourse()
    await school.enroll(course)
    const file = await exported(`${path}?limit=30`)
    const rows = await results(path, file)
    expect(rows.filter(({ status }) => status !== 200)).toEqual([])
    expect(await exported(`${path}?limit=30`)).toBe(file)
  })

  test('separators, a byte order mark, line breaks in quotes and escaped cells are read as they were meant', async () => {
    const [one, two] = [`one-${newId()}@example.org`, `two-${newId()}@example.org`]
    const file = `\uFEFFemail;name;phone;tags;marketing_consent.granted;note\r\n${one};"Ana ""A""; Silva";'+491512345678;"[""a"",""b""]";true;"First\nsecond"\r\n${two};"'=1+1";;;;\r\n`
    const created = await results('students', file)
    expect(created.flatMap(({ error }) => error?.details ?? [])).toEqual([])
    expect(created).toMatchObject([
      { index: 0, row: 2, key: one, status: 201 },
      { index: 1, row: 3, key: two, status: 201 },
    ])
    const expected = {
      name: 'Ana "A"; Silva',
      phone: '+491512345678',
      tags: ['a', 'b'],
      marketing_consent: { granted: true },
      note: 'First\nsecond',
    }
    expect(await student(one)).toMatchObject(expected)
    expect(await student(two)).toMatchObject({ name: '=1+1', phone: null, tags: [] })
  })

  test('an empty cell leaves a value, and clears it only if the request says so: the response counts them', async () => {
    const email = `blank-${newId()}@example.org`
    await results('students', `email,name,phone,note,country\n${email},Ada,+4930123456,First,DE\n`)
    const file = `email,phone,note,country\n${email},,  ,AT\n`
    const kept = await upload('students', file)
    expect([kept.status, kept.json.summary]).toEqual([207, { total: 1, succeeded: 1, failed: 0 }])
    expect(await student(email)).toMatchObject({ phone: '+4930123456', note: 'First', country: 'AT' })
    const cleared = await upload('students', file, owner, '?empty_cells=clear')
    expect([cleared.status, cleared.json.summary]).toEqual([207, { total: 1, succeeded: 1, failed: 0, cleared: 2 }])
    expect(await student(email)).toMatchObject({ phone: null, note: null, country: 'AT' })
    expect((await upload('students', file, owner, '?empty_cells=drop')).status).toBe(400)
  })

  test('files as people write them are read: headings in any case, sep=, empty rows, lists, telephone numbers, countries', async () => {
    const [one, two] = [`one-${newId()}@example.org`, `two-${newId()}@example.org`]
    const lines = [
      'sep=;',
      'E-Mail;\u00a0Name ;PHONE;Tags;Country;Marketing Consent.granted;Remarks;;',
      ';;;;;;;;',
      `${one};Zoë Ångström;+49 (0)30 12-34;vip, new;de;TRUE;ignored;;`,
      '',
      ' ; ;;;;;;;',
      `${two};李雷;0044 20 7946 0958;"a;b";gb;;;;`,
      ';;;;;;;;',
    ]
    const reply = await upload('students', `\uFEFF${lines.join('\r\n')}\r\n`)
    expect([reply.status, reply.json.results]).toMatchObject([
      207,
      [
        { index: 0, row: 3, key: one, status: 201 },
        { index: 1, row: 6, key: two, status: 201 },
      ],
    ])
    expect(reply.json.csv).toEqual({ ignored_columns: ['Remarks'], empty_rows: 3 })
    expect(await student(one)).toMatchObject({
      name: 'Zoë Ångström',
      phone: '+49301234',
      tags: ['new', 'vip'],
      country: 'DE',
      marketing_consent: { granted: true },
    })
    expect(await student(two)).toMatchObject({ name: '李雷', phone: '+442079460958', tags: ['a', 'b'], country: 'GB' })
  })

  test('the error of a file with too many rows says how an export is divided', async () => {
    const reply = await upload('students', `email\n${'a@example.org\n'.repeat(1000)}`)
    expect([reply.status, reply.json.error_description]).toEqual([413, expect.stringContaining('limit=100')])
    expect((await upload('students', `email\n${'\n'.repeat(20_000)}a@example.org\n`)).status).toBe(413)
  })

  test('each row has its own result with the number of the row, and enrolments name the student', async () => {
    const course = await school.newCourse()
    const file = `course_id,student_email\n${course.id},${learner}\n${course.id},nobody@example.org\n`
    const [first, second] = await results('enrollments', file)
    expect(first).toMatchObject({ row: 2, key: learner, status: 201 })
    expect(second).toMatchObject({ row: 3, key: 'nobody@example.org', status: 422 })
    const [bad, good] = await results('enrollments', `course_id,student_email\n${course.id},no address\n${course.id},${learner}\n`)
    expect([bad?.row, bad?.key, bad?.status, bad?.error?.details[0]?.field]).toEqual([2, 'no address', 422, 'student_email'])
    expect(good).toMatchObject({ row: 3, status: 200 })
    const [row] = await results('students', 'email,name\nno address,Ana\n')
    expect([row?.row, row?.key, row?.error?.details[0]?.field]).toEqual([2, 'no address', 'email'])
  })

  test.each([
    ['email,nmae\na@example.org,Ana\n', 400, /no column 'nmae': did you mean name\?.*Columns that are read: email, name/],
    ['email,email\na@example.org,b@example.org\n', 400, /column 'email' twice/],
    ['id,object\nstd_1,student\n', 400, /no column that is read/],
    ['email,name\n', 400, /no row below the header/],
    ['email,name\na@example.org,Ana,more\n', 400, /row 2 has another number of cells than the header/],
    ['email,name\n"a@example.org,Ana\n', 400, /does not end with one/],
    [`email,name\n${'a@example.org,Ana\n'.repeat(101)}a quote " in the text behind the limit`, 413, /more than 100 rows, the maximum/],
    [
      `\r\n${Array.from({ length: 201 }, (_, column) => `c${column}`).join(';')}\na quote " in the text behind the limit`,
      400,
      /201 columns/,
    ],
  ])('%j is refused, and the sentence says what helps', async (file, status, sentence) => {
    const reply = await upload('students', file)
    expect([reply.status, reply.json.error_description]).toEqual([status, expect.stringMatching(sentence)])
  })

  test('needs the permission of the JSON operation, and other operations take JSON only', async () => {
    expect((await upload('students', 'email,name\na@example.org,Ana\n', learner)).status).toBe(403)
    const reply = await school.send('courses', { headers: { 'content-type': 'text/csv' }, body: 'title\nClay\n' })
    expect(reply.status).toBe(415)
  })
})

const as = 'owner@example.com'

describeDemo('CSV files, on $name', (api) => {
  /** Adds a student, and returns the lines of the file that has this student alone. */
  async function linesOf(student: object, { query = '', accept }: { query?: string; accept?: string } = {}): Promise<string[]> {
    const externalId = newId()
    const added = await api.send('/api/v1/students', {
      as,
      body: { email: `${externalId}@example.org`, external_id: externalId, ...student },
    })
    expect(added.status).toBe(201)
    const path = `/api/v1/students?external_id=${externalId}&fields=name,phone,note${query}`
    const file = await api.get(path, { as, ...(accept && { headers: { accept } }) })
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8; header=present'])
    return file.text.split('\r\n').map((line) => line.replace(/std_\w+/, 'ID'))
  }
  const inGerman = (locale: string) => api.database.sql.query('UPDATE school SET locale = $1 WHERE id = $2', [locale, api.school.id])

  test('contain telephone numbers as they are, and no text that a spreadsheet would run', async () => {
    const student = { name: 'Müller, Ödön', phone: '+491512345678', note: '=1+1' }
    expect(await linesOf(student, { accept: 'text/csv' })).toEqual([
      'id,object,name,phone,note',
      `ID,student,"Müller, Ödön",+491512345678,'=1+1`,
      '',
    ])
    for (const note of ['+1+1', '-1+cmd', '@SUM(A1)', '+49 151 234', '\t=1', '-2.5e'])
      expect((await linesOf({ name: 'Ada', note }, { accept: 'text/csv' })).join('\n'), note).toContain(`'${note}`)
  })

  test.each([
    ['en', ','],
    ['de', ';'],
    ['pt-BR', ';'],
    ['de-CH', ','],
  ])('open in Excel by a double click, in a school of the locale %s, from a link without headers', async (locale, separator) => {
    await inGerman(locale)
    const lines = await linesOf({ name: 'Müller; Ödön, "Ö"' }, { query: '&csv=excel' })
    const name = 'Müller; Ödön, ""Ö""'
    expect(lines).toEqual([
      `\ufeff${['id', 'object', 'name', 'phone', 'note'].join(separator)}`,
      ['ID', 'student', `"${name}"`, '', ''].join(separator),
      '',
    ])
    await inGerman('en')
  })

  test('of reports open in Excel too', async () => {
    const report = await api.get('/api/v1/analytics/revenue?from=2026-01-01&to=2026-03-31&interval=month&csv=excel', { as })
    expect([report.status, report.text.slice(0, 6)]).toEqual([200, '\ufeffdate,'])
  })

  test('are the only meaning of the parameter', async () => {
    const [wrong, visitor, row] = await Promise.all([
      api.get('/api/v1/students?csv=numbers', { as }),
      api.get('/api/v1/courses?csv=excel'),
      api.get('/api/v1/courses/clay-from-scratch?csv=excel', { as }),
    ])
    expect([wrong.status, wrong.json.error_description]).toEqual([400, expect.stringContaining('excel')])
    expect([visitor.status, row.status]).toEqual([400, 400])
  })
})
