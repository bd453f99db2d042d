// Proves RFC 2047, 4287, 5545, 6266: Names in every script are the same on public pages, in their data and Markdown, in the feed, calendars, CSV, e-mails and file names, and for agents; header fields are ASCII

import { parse } from 'csv-parse/sync'
import { DomUtils, parseDocument, parseFeed } from 'htmlparser2'
import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'
import { beforeAll, describe, expect, test } from 'vitest'
import { sitePath, siteResources } from '../../src/engine/sitePaths.ts'
import { callTool } from '../engine/mcp/rpc.ts'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { longText, realTexts } from '../support/realText.ts'
import { startService } from '../support/service.ts'
import { asHtml, dataIn, siteOwner } from './siteVisitor.ts'

const names = [...Object.values(realTexts), longText.slice(0, 80).trim()]

const start = new Date(Date.now() + 86_400_000)
const times = { starts_at: start.toISOString(), ends_at: new Date(start.getTime() + 3_600_000).toISOString() }

/**
 * Each kind of public page: the fields of a new row in addition to its name, and the action that publishes it. Courses need
 * lessons for it, so that their status is set in the database.
 */
const kinds = {
  lecturers: { field: 'display_name', fields: {}, action: undefined },
  courses: { field: 'title', fields: {}, action: undefined },
  events: { field: 'title', fields: { kind: 'in_person', location: { name: 'Kiln house' }, ...times }, action: 'publish' },
  posts: { field: 'title', fields: { content: 'Three bowls cracked.' }, action: 'publish' },
  plans: { field: 'name', fields: {}, action: 'activate' },
  pages: { field: 'title', fields: { kind: 'custom' }, action: 'publish' },
} as const satisfies Record<keyof typeof siteResources, object>

interface Row {
  kind: keyof typeof kinds
  name: string
  id: string
  path: string
}

/** Returns the text of the elements with this tag in HTML or Markdown that was rendered. */
const textsOf = (html: string, tag: string): string[] =>
  DomUtils.getElementsByTagName(tag, parseDocument(html)).map((element) => DomUtils.textContent(element))

describe.each(await databasesToTest())('names as people write them, where the public reads them, on $name', ({ open }) => {
  const service = duringTests(() => startService({ open }))
  const owner = duringTests(() => siteOwner(service))
  const rows: Row[] = []
  beforeAll(async () => {
    for (const name of names) {
      for (const [kind, { field, fields, action }] of Object.entries(kinds) as [Row['kind'], (typeof kinds)[Row['kind']]][]) {
        const path = `/${siteResources[kind]}`
        const lecturer_ids = kind === 'courses' ? rows.slice(-1).map(({ id }) => id) : undefined
        const { id, slug } = await owner.call('POST', path, { ...fields, [field]: name, lecturer_ids })
        if (kind === 'plans')
          await owner.call('POST', `${path}/${id}/prices`, { interval: 'month', amount: { amount: 1200, currency: 'EUR' } })
        if (action) await owner.call('POST', `${path}/${id}/${action}`, {})
        rows.push({ kind, name, id: String(id), path: sitePath(kind, String(slug)) })
      }
    }
    await service.database.sql.query("UPDATE course SET status = 'published'")
  })

  /** Reads a document. Fails the test unless its status is 200 and its header fields are ASCII. */
  async function read(path: string, headers: Record<string, string> = {}): Promise<string> {
    const response = await fetch(new URL(path, service.issuer), { headers, redirect: 'manual' })
    expect([path, response.status]).toEqual([path, 200])
    for (const [field, value] of response.headers)
      expect([path, field, value]).toEqual([path, field, expect.stringMatching(/^[\x20-\x7e]*$/)])
    return new TextDecoder('utf-8', { fatal: true }).decode(await response.arrayBuffer())
  }
  const namesOf = (kind: Row['kind']): string[] => rows.filter((row) => row.kind === kind).map(({ name }) => name)

  test.each(Object.keys(kinds) as Row['kind'][])('pages of %s have the name as heading, title and data, and in Markdown', async (kind) => {
    for (const { name, path } of rows.filter((row) => row.kind === kind)) {
      const html = await read(path, asHtml)
      expect([path, textsOf(html, 'h1')]).toEqual([path, [name]])
      expect(html).toMatch(/<h1 dir="auto"/)
      expect([name, textsOf(html, 'title')]).toEqual([name, [expect.stringContaining(name)]])
      const data = dataIn(html).flatMap(({ name: title, headline }) => [title, headline])
      expect([name, data]).toEqual([name, expect.arrayContaining([name])])
      const markdown = micromark(await read(`${path}.md`), { extensions: [gfm()], htmlExtensions: [gfmHtml()] })
      expect([name, textsOf(markdown, 'h1')]).toEqual([name, [name]])
    }
  })

  test('the feed is XML with every title', async () => {
    const xml = await read('/posts/feed.xml')
    expect(xml).not.toMatch(/&(?!(?:amp|lt|gt|quot|#39);)|[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u)
    expect(
      parseFeed(xml)
        ?.items.map(({ title }) => title)
        .toSorted(),
    ).toEqual(namesOf('posts').toSorted())
  })

  test('a calendar has every title, in lines of at most 75 octets', async () => {
    const calendar = await read('/api/v1/events?limit=100', { accept: 'text/calendar' })
    for (const line of calendar.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
    const summaries = calendar.replaceAll('\r\n ', '').matchAll(/^SUMMARY:(.*)$/gm)
    const unescaped = [...summaries].map(([, text = '']) => text.trim().replace(/\\([\\;,n])/g, '$1'))
    expect(unescaped.toSorted()).toEqual(namesOf('events').toSorted())
  })

  test('CSV has every name', async () => {
    const csv = await owner.text('/courses?fields=title&limit=100', { accept: 'text/csv' })
    const excel = await owner.text('/courses?fields=title&limit=100&csv=excel')
    for (const text of [csv, excel]) {
      const records: { title: string }[] = parse(text, { bom: true, columns: true })
      expect(records.map(({ title }) => title).toSorted()).toEqual(namesOf('courses').toSorted())
    }
  })

  test('agents find every course and fetch it with its title', async () => {
    for (const { name, id } of rows.filter(({ kind }) => kind === 'courses')) {
      expect((await callTool(service.issuer, 'fetch', { id })).structuredContent).toMatchObject({ id, title: name })
      const { results } = (await callTool(service.issuer, 'search', { query: name })).structuredContent
      expect([name, results.map(({ title }: { title: string }) => title)]).toEqual([name, expect.arrayContaining([name])])
    }
  })

  test('the name of the school is the same on its pages, in llms.txt and in the feed', async () => {
    for (const name of names) {
      await owner.call('PATCH', '/school', { name }, { 'if-match': '*' })
      const home = await read('/', asHtml)
      expect([name, textsOf(home, 'title'), textsOf(home, 'bdi')]).toEqual([
        name,
        [expect.stringContaining(name)],
        expect.arrayContaining([name]),
      ])
      const llms = micromark(await read('/llms.txt'), { extensions: [gfm()], htmlExtensions: [gfmHtml()] })
      expect([name, textsOf(llms, 'h1')]).toEqual([name, [expect.stringContaining(name)]])
      expect(parseFeed(await read('/posts/feed.xml'))?.title).toBe(name)
      const signIn = await read('/account/sign-in', asHtml)
      expect([name, textsOf(signIn, 'title')]).toEqual([name, [expect.stringContaining(name)]])
    }
  })
})
