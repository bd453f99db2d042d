import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { orderNames } from '../../src/database/tables/nameOrder.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { startDemoApi } from '../school/demoApi.ts'
import { everyDatabase } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { namesInSixScripts } from './namesInSixScripts.ts'

const owner = 'owner@example.com'
const languages = ['de-AT', 'sv', 'ru', 'el', 'ar', 'hi', 'zh']

describe.each(await everyDatabase())('names in order on $name', ({ open }) => {
  const api = duringTests(async () => startDemoApi(await open()))
  const send = async (path: string, body: object, method = 'POST') => {
    const { status, json, text } = await api.send(`/api/v1/${path}`, { method, as: owner, body, headers: { 'if-match': '*' } })
    expect([status, status < 300 || text]).toEqual([status, true])
    return json as { id: string }
  }
  const speak = async (locale: string) => {
    await send('school', { locale, supported_locales: [locale] }, 'PATCH')
    await orderNames(api.database)
  }
  /** Walks a list through its cursors, a few rows at a time. */
  const walk = async (path: string) => {
    const rows: { id: string; title: string; name: string; display_name: string }[] = []
    for (let cursor = ''; ; ) {
      const { json } = await api.get(`/api/v1/${path}&limit=17${cursor && `&cursor=${cursor}`}`, { as: owner })
      rows.push(...(json.data as typeof rows))
      const { has_more, next_cursor } = json.page as { has_more: boolean; next_cursor: string }
      if (!has_more) return rows
      cursor = encodeURIComponent(next_cursor)
    }
  }
  /** Returns the neighbours that are in the wrong order. */
  const misplaced = (names: readonly string[], locale: string) => {
    const { compare } = new Intl.Collator(locale, { numeric: true })
    return names.flatMap((name, index) => (index > 0 && compare(names[index - 1] ?? '', name) > 0 ? [`${names[index - 1]} > ${name}`] : []))
  }

  test('follow the language of the school in six scripts, and a walk through the pages meets each row once', async () => {
    const ids: string[] = []
    for (const title of namesInSixScripts) ids.push((await send('posts', { title, content: 'Words.', tags: ['corpus'] })).id)
    for (const language of languages) {
      await speak(language)
      const up = await walk('posts?tag=corpus&sort=title')
      expect([language, up.map(({ id }) => id).sort()]).toEqual([language, ids.toSorted()])
      expect([
        language,
        misplaced(
          up.map(({ title }) => title),
          language,
        ),
      ]).toEqual([language, []])
      expect((await walk('posts?tag=corpus&sort=-title')).map(({ id }) => id)).toEqual(up.map(({ id }) => id).reverse())
    }
    await speak('en')
  })

  test('a name that is written or changed has its place immediately', async () => {
    await speak('en')
    const { id } = await send('posts', { title: 'zebra', content: 'Words.', tags: ['moved'] })
    for (const title of ['Item 10', 'item 2', 'Äpfel', 'Apfelkuchen', 'Banane'])
      await send('posts', { title, content: 'Words.', tags: ['moved'] })
    await send(`posts/${id}`, { title: 'Item 3' }, 'PATCH')
    expect((await walk('posts?tag=moved&sort=title')).map(({ title }) => title)).toEqual([
      'Äpfel',
      'Apfelkuchen',
      'Banane',
      'item 2',
      'Item 3',
      'Item 10',
    ])
  })

  test.each([
    ['students', 'name', 'name'],
    ['members', 'display_name', 'display_name'],
    ['lecturers', 'display_name', 'display_name'],
    ['courses', 'title', 'title'],
    ['pages', 'title', 'title'],
  ] as const)('lists of names are in order: %s by %s', async (path, sort, field) => {
    await speak('sv')
    const names = (await walk(`${path}?sort=${sort}`)).map((row) => row[field])
    expect(names.length).toBeGreaterThan(1)
    expect(misplaced(names, 'sv')).toEqual([])
    await speak('en')
  })

  test('every column that orders names has its trigger, also where a copy of rows switches triggers off', async () => {
    const sorted = operationsIn(resources).flatMap(({ resource }) => resource.sorts.map(({ column }) => `${resource.table}.${column}`))
    const kept = await api.database.sql.query<{ column: string }>(
      `SELECT tgrelid::regclass || '.' || substring(tgname FROM '(?:title|display_name|(?<!display_)name)_order$') AS column
         FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid WHERE proname = 'keep_name_order' AND tgenabled = 'A'`,
    )
    const names = new Set(sorted.filter((one) => one.endsWith('_order')))
    expect(kept.map(({ column }) => column).sort()).toEqual([...names].sort())
  })

  test('the order of any words of the six scripts is that of the language', async () => {
    const letters = [...new Set(namesInSixScripts.join('').normalize('NFC'))]
    const words = fc.sample(fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 6 }), { numRuns: 400, seed: 11 })
    for (const language of ['cs', 'da', 'tr', 'ja'].map((tag) => new Intl.Locale(tag).maximize())) {
      await speak(language.language)
      const { rows } = {
        rows: await api.database.sql.query<{ word: string }>(
          'SELECT word FROM unnest($2::text[]) AS words(word) ORDER BY name_order($1, word) COLLATE "C"',
          [`${language.language}-${language.script}`, words.map((word) => word.join(''))],
        ),
      }
      expect([
        language.language,
        misplaced(
          rows.map(({ word }) => word),
          language.language,
        ),
      ]).toEqual([language.language, []])
    }
    await speak('en')
  })
})
