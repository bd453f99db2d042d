import { describe, expect, test } from 'vitest'
import { link } from '../../src/agents/markdown.ts'
import { iCalendar } from '../../src/base/text/iCalendar.ts'
import { renderBlocks } from '../../src/school/pages/renderBlocks.ts'
import { htmlOf } from '../../src/school/richText.ts'
import { duringTests } from '../support/duringTests.ts'
import { startService } from '../support/service.ts'

const planted = [
  'javascript:alert(document.domain)//',
  'JaVaScRiPt:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'file:///etc/passwd',
  'x:y',
  '//evil.example',
]
const documents = [
  ...['/auth.md', '/pricing.md', '/llms.txt', '/openapi.json', '/docs', '/account/sign-in'],
  ...['/.well-known/oauth-protected-resource', '/.well-known/api-catalog', '/.well-known/openid-configuration'],
]

describe('documents that anybody can read', () => {
  const service = duringTests(() => startService())

  test('do not link to a javascript: URL, even where the database has one', async () => {
    await service.database.sql.query('UPDATE school SET support_url = $1 WHERE id = $2', [planted[0], service.schoolId()])
    const answered: string[] = []
    for (const path of documents) {
      const response = await fetch(service.issuer + path)
      expect(await response.text(), path).not.toContain('javascript:alert')
      if (response.status === 200) answered.push(path)
    }
    expect(answered).toEqual(expect.arrayContaining(['/auth.md', '/pricing.md', '/llms.txt', '/openapi.json']))
  })
})

describe.each(planted)('%j', (address) => {
  test('is not a link in a document, a rich text, a page or a calendar', () => {
    expect(link('Help', address).text).toBe('Help')
    const site = { issuer: 'https://school.example' } as Parameters<typeof renderBlocks>[1]
    const html = [
      htmlOf(`[x](${address})\n\n<${address}>\n\n[y]: ${address}\n\n[y]`, 'markdown'),
      htmlOf(`<a href="${address.replaceAll('"', '&quot;')}">x</a>`, 'html'),
      renderBlocks([{ type: 'button', props: { label: 'x', url: address, style: 'primary' } }], site),
    ]
    for (const text of html) expect(text).not.toMatch(/href="(?!https?:|mailto:)([a-z][\w+.-]*:|\/\/)/i)
    const time = '2026-03-01T00:00:00Z'
    const entry = {
      uid: 'a',
      changedAt: time,
      createdAt: time,
      startsAt: time,
      endsAt: time,
      title: 'a',
      description: null,
      location: null,
    }
    expect(iCalendar('a', [{ ...entry, position: null, isCanceled: false, sequence: 1, html: null, url: address }])).not.toContain('\nURL:')
  })
})

test('a rich text does not link to a URL with credentials', () => {
  for (const text of [htmlOf('[x](https://a:b@evil.example/)', 'markdown'), htmlOf('<a href="https://a@evil.example">x</a>', 'html')])
    expect(text).not.toContain('evil.example')
})

test('URLs of the web and addresses of mailboxes are links', () => {
  expect(link('Help', 'https://school.example/help').text).toBe('[Help](https://school.example/help)')
  expect(link('Help', 'mailto:help@school.example').text).toBe('[Help](mailto:help@school.example)')
})
