import { expect, test } from 'vitest'
import { documentSections } from '../../src/agents/documentSections.ts'
import { duringTests } from '../support/duringTests.ts'
import { startService } from '../support/service.ts'

const service = duringTests(() => startService())
const read = async (path: string) => {
  const response = await fetch(service.issuer + path)
  return { status: response.status, text: await response.text(), etag: response.headers.get('etag') }
}

test('a document of a resource returns the sections that the query names, also while the whole one is kept in memory', async () => {
  const whole = await read('/docs/courses.md')
  const again = await read('/docs/courses.md?utm_source=mail')
  const part = await read('/docs/courses.md?section=bodies,fields')
  expect([part.status, again.text, again.etag]).toEqual([200, whole.text, whole.etag])
  expect(part.etag).not.toBe(whole.etag)
  expect(part.text.match(/^#+ .*/gm)).toEqual(['# courses', '## Fields', '## Bodies'])
  expect(whole.text).toContain(part.text.split('\n## Bodies\n')[1]?.trim())
  expect((await read('/docs/analytics.md?section=responses')).text).toContain('## Responses that are not rows')
  expect((await read('/api.md?section=courses')).text.match(/^## .*/gm)).toHaveLength(1)
  expect((await read('/docs/courses.md')).text).toBe(whole.text)
})

test('an unknown section gets 400 with the names of all', async () => {
  const reply = await read('/docs/courses.md?section=bodys')
  expect(reply.status).toBe(400)
  expect(JSON.parse(reply.text).error_description).toMatch(/did you mean bodies\? This document has operations, fields, /)
  for (const name of ['', ',', '__proto__', '../x', '%00', 'a'.repeat(5000)])
    expect((await read(`/docs/courses.md?section=${name}`)).status).toBe(400)
})

test('headings in other scripts and of links have names', () => {
  const text = '# T\n\nIntro\n\n## [Курсы](https://example.com/a)\n\none\n\n## What it costs\n\ntwo\n'
  expect(documentSections(text, 'курсы')).toBe('# T\n\n## [Курсы](https://example.com/a)\n\none\n')
  expect(documentSections(text, ' What ')).toBe('# T\n\n## What it costs\n\ntwo\n')
})
