import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/base/ids.ts'
import { databasesToTest } from '../support/databases.ts'
import { type DemoApi, startDemoApi } from './demoApi.ts'

const as = 'owner@example.com'

describe.each(await databasesToTest())('CSV files, on $name', ({ open }) => {
  let api: DemoApi
  beforeAll(async () => {
    api = await startDemoApi(await open())
  })
  afterAll(() => api.stop())

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
