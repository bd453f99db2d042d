import { expect, test } from 'vitest'
import { lowerHeadings } from '../../src/base/text/sanitisedHtml.ts'
import { linkedText } from '../../src/pages/errorPage.ts'

const issuer = 'https://school.example.com'

test.each([
  ['Your connected apps are at', '/account/apps', '.'],
  ['The home page of the school is', '/', '.'],
  ['The contact is at', '/auth.md', '.'],
])('%s %s is a link, without the full stop of its sentence', (before, path, after) => {
  expect(linkedText(`${before} ${issuer}${path}${after}`, issuer)).toEqual([
    { text: `${before} ` },
    { text: issuer + path, href: path },
    { text: after },
  ])
})

test('the address of an endpoint, of another origin, or of the school alone is text', () => {
  for (const text of [
    `register again (POST ${issuer}/api/oauth/register)`,
    `allow cookies for ${issuer}.`,
    `see ${issuer}.evil.example/auth.md`,
    `see ${issuer}/auth.md-and-more`,
    'see https://evil.example/auth.md',
  ])
    expect(linkedText(text, issuer).every(({ href }) => href === undefined)).toBe(true)
  expect(linkedText('see /auth.md', '')).toEqual([{ text: 'see /auth.md' }])
})

test('the headings of a rich text begin below the heading above it, and keep their order', () => {
  expect(lowerHeadings('<h1>a</h1><h2>b</h2>', 3)).toBe('<h3>a</h3><h4>b</h4>')
  expect(lowerHeadings('<h1 id="text-a">a</h1><h2>b</h2>', 3)).toBe('<h3 id="text-a">a</h3><h4>b</h4>')
  expect(lowerHeadings('<h4>a</h4>', 3)).toBe('<h4>a</h4>')
  expect(lowerHeadings('<h1>a</h1><h6>b</h6>', 3)).toBe('<h3>a</h3><h6>b</h6>')
  expect(lowerHeadings('<p>a</p>', 3)).toBe('<p>a</p>')
})
