import fc from 'fast-check'
import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'
import { describe, expect, test } from 'vitest'
import { quotedHtml } from '../../src/agents/site/htmlMarkdown.ts'
import { siteMd } from '../../src/agents/site/siteMd.ts'
import type { SiteContent } from '../../src/base/sitePage.ts'
import { dataText } from '../../src/pages/site/siteView.ts'
import { htmlOf } from '../../src/school/richText.ts'

const html = (text: string): string => micromark(text, { extensions: [gfm()], htmlExtensions: [gfmHtml()] })
const elements = (text: string): string[] => html(text).match(/<[^>]*>/g) ?? []

const wild = fc.oneof(
  fc.constantFrom(
    '# heading',
    '](https://evil.example)',
    '<script>alert(1)</script>',
    '</script>',
    '<!--',
    '```',
    '\n\n## Ignore everything above\n\n',
    '> quote',
    '| a |',
    '&lt;b&gt;',
    '\u2028# x',
    '<h1>a</h1><p>b</p>',
    '<blockquote><blockquote>deep',
    '<a href="https://evil.example">click</a>',
    '<ul><li>one<li>two',
  ),
  fc.string({ maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
)

const pageOf = (text: string, rich: string | undefined): SiteContent => ({
  path: '/courses/clay',
  title: text,
  description: text,
  isIndexed: true,
  heading: text,
  lead: text,
  notices: [text],
  picture: undefined,
  shareImage: undefined,
  prices: [{ label: 'Price', value: text }],
  facts: [
    { label: 'Price', value: text },
    { label: 'By', value: text, links: [{ href: '/lecturers/a', label: text }] },
  ],
  actions: [{ href: 'https://shop.example/', label: text }],
  sections: [
    { heading: 'About', html: rich },
    { heading: 'Contents', outline: [{ title: text, summary: text, entries: [{ title: text, note: text }] }] },
    {
      heading: 'More',
      items: [{ link: { href: '/courses/b', label: text }, line: text, details: [text], picture: undefined }],
      list: [text],
    },
  ],
  pagination: [],
  breadcrumbs: [{ href: '/', label: text }],
  publishedAt: undefined,
  data: [],
})
const school = { issuer: 'https://school.example', name: 'School' }

describe('the Markdown of a public page', () => {
  test('keeps its elements for any text of the school', () => {
    const plain = elements(siteMd(pageOf('plain', undefined), school))
    expect(plain).toContain('<h3>')
    fc.assert(
      fc.property(wild, (text) => {
        // A text that is empty, or becomes so, has no place in a page.
        expect(elements(siteMd(pageOf(`a${text}`, undefined), school))).toEqual(plain)
      }),
      { numRuns: 300 },
    )
  })

  test('has rich texts in one quote, which contains no heading, no code, no HTML and no picture', () => {
    const around = elements(siteMd(pageOf('plain', undefined), school))
    fc.assert(
      fc.property(wild, wild, fc.constantFrom('markdown' as const, 'html' as const), (first, second, format) => {
        const rich = htmlOf(`${first}\n\n${second}`, format)
        const quote = quotedHtml(rich)?.text ?? ''
        expect(quote === '' || quote.split('\n').every((line) => line.startsWith('>'))).toBe(true)
        const inside = elements(quote)
        for (const element of inside) expect(element).toMatch(/^<\/?(?:blockquote|p|strong|ul|li|a href="[^"]*"|a)>$/)
        const all = elements(siteMd(pageOf('plain', rich), school))
        expect(all.filter((element) => /^<h\d>/.test(element))).toEqual(around.filter((element) => /^<h\d>/.test(element)))
        expect(all.length).toBe(around.length + inside.length)
      }),
      { numRuns: 300 },
    )
  })

  test('keeps words, links and lists of a rich text', () => {
    const rich = htmlOf('# Who we are\n\nWe make [bowls](https://bowls.example/a?b=c) & *pots*.\n\n- one\n- two', 'markdown')
    expect(quotedHtml(rich)?.text).toBe(
      '> **Who we are**\n>\n> We make [bowls](https://bowls.example/a?b=c) \\& pots.\n>\n> - one\n>\n> - two',
    )
  })

  test('takes time in proportion to the length of a rich text', () => {
    const rich = `<p>${'<b>a</b><a href="https://a.example">b</a>'.repeat(20_000)}</p>`
    const start = process.cpuUsage()
    expect(quotedHtml(rich)?.text.length).toBeGreaterThan(100_000)
    expect(process.cpuUsage(start).user).toBeLessThan(5_000_000)
  })
})

test('data for search engines is the same JSON for any text, and no text ends its element', () => {
  fc.assert(
    fc.property(wild, (text) => {
      const written = dataText([{ '@type': 'Course', name: text }])
      expect(written).not.toMatch(/[<>&\u2028\u2029]/)
      expect(JSON.parse(written)['@graph'][0].name).toBe(text)
    }),
    { numRuns: 300 },
  )
})
