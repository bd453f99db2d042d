import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findInCatalogue, searchedResources } from '../../src/engine/mcp/search.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { everyDatabase } from '../support/databases.ts'
import { type DemoApi, startDemoApi } from './demoApi.ts'

const as = 'owner@example.com'

/** A title, and what people type to find it. */
const searches: readonly [title: string, ...asked: string[]][] = [
  ['Bergsteigen in Zürich', 'Zuerich', 'Zurich', 'zürich', 'Zürich'.normalize('NFD')],
  ['Wandern um Mueller', 'Müller'],
  ['Iğdır ışık', 'isik', 'IŞIK', 'igdir'],
  ['Víkingar á þingi', 'thing', 'þing'],
  ['Đặng học đàn', 'dang', 'Đặng'],
  ['Smørrebrød', 'smorrebrod'],
  ['العَرَبِيَّة', 'العربية'],
  ['שָׁלוֹם', 'שלום'],
  ['鯨の歌', '鯨', '歌'],
  ['고래 노래', '고'],
  ['Łódź', 'lodz'],
]

describe.each(await everyDatabase())('a search finds other spellings, on $name', ({ open }) => {
  let api: DemoApi
  beforeAll(async () => {
    api = await startDemoApi(await open())
    for (const [index, title] of [...searches.map(([title]) => title), 'Blumen binden'].entries()) {
      const { status } = await api.send('/api/v1/events', {
        as,
        body: {
          title,
          slug: `event-${index}`,
          kind: 'online',
          starts_at: '2026-09-01T10:00:00Z',
          ends_at: '2026-09-01T11:00:00Z',
          join_url: 'https://meet.example/x',
        },
      })
      expect(status).toBe(201)
    }
    await api.database.sql.query("UPDATE event SET status = 'published', published_at = now() WHERE status = 'draft' AND school_id = $1", [
      api.school.id,
    ])
  })
  afterAll(() => api.stop())

  test.each(searches.flatMap(([title, ...asked]) => asked.map((text) => [title, text] as const)))(
    '%s is found by %s, in a list',
    async (title, text) => {
      const list = await api.get(`/api/v1/events?q=${encodeURIComponent(text)}&fields=title`, { as })
      expect([list.status, (list.json.data as { title: string }[]).map((row) => row.title)]).toEqual([200, [title]])
    },
  )

  test('two letters are needed only in scripts with letters', async () => {
    for (const text of ['a', 'ж', 'ع', ' ', '1'])
      expect((await api.get(`/api/v1/events?q=${encodeURIComponent(text)}`, { as })).status).toBe(400)
    for (const text of ['か', 'カ', '한', '鯨', '𠮷'])
      expect((await api.get(`/api/v1/events?q=${encodeURIComponent(text)}`, { as })).status).toBe(200)
  })

  test('a spelling does not find other words', async () => {
    const list = await api.get('/api/v1/events?q=blue&fields=title', { as })
    expect(list.json.data).toEqual([])
  })

  test('the search of the catalogue finds them too', async () => {
    const searched = searchedResources(operationsIn(resources)).filter(({ name }) => name === 'events')
    for (const [title, ...asked] of searches)
      for (const query of asked) {
        const { hits } = await findInCatalogue(searched, { query, limit: 10 }, {
          database: api.database.kysely,
          school: api.school,
        } as never)
        expect([query, hits.map((hit) => hit.title)]).toEqual([query, [title]])
      }
  })
})
