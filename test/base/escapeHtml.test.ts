import ejs from 'ejs'
import fc from 'fast-check'
import sanitizeHtml from 'sanitize-html'
import { expect, test } from 'vitest'
import { escapeHtml, unescapeHtml } from '../../src/base/text/escapeHtml.ts'
import { xmlText } from '../../src/base/text/xmlText.ts'

/** Texts with many characters of markup, and with pieces of entities. */
const wild = fc
  .array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('&', '<', '>', '"', "'", '&amp;', '&#39;', '&lt', ';', '#')))
  .map((parts) => parts.join(''))

test('an escaped text has no character that ends a text or an attribute, and every character is escaped once', () => {
  expect(escapeHtml(`<a href="x" title='y'>&amp;</a>`)).toBe('&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;')
  fc.assert(fc.property(wild, (text) => !/[<>"']|&(?!(?:amp|lt|gt|quot|#39);)/.test(escapeHtml(text))))
})

test('a text comes back as it was, escaped here, by EJS, or by the sanitiser', () => {
  fc.assert(fc.property(wild, (text) => unescapeHtml(escapeHtml(text)) === text))
  fc.assert(fc.property(wild, (text) => unescapeHtml(ejs.escapeXML(text)) === text))
  const escapedOnly: sanitizeHtml.IOptions = { allowedTags: [], disallowedTagsMode: 'escape' }
  for (const text of ['&', '<', '"', "'", 'a < b & c > "d"', '&lt;', '&amp;quot;'])
    expect(unescapeHtml(sanitizeHtml(escapeHtml(text), escapedOnly))).toBe(text)
})

test('a text for XML has the same escapes, without the characters that XML cannot contain', () => {
  expect(xmlText('a\u0000\u0008\uffff\ud800<b>\u{1f600}\n')).toBe('a\ufffd&lt;b&gt;\u{1f600}\n')
  fc.assert(fc.property(fc.string(), (text) => xmlText(text) === escapeHtml(text).replace(/[^\t\n\r\x20-\x7e]/g, '')))
})
