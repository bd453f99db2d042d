import fc from 'fast-check'
import { createTransport } from 'nodemailer'
import { describe, expect, test } from 'vitest'
import { compose } from '../../../src/base/mail/compose.ts'
import { type EmailKind, emailKinds } from '../../../src/base/mail/emailKinds.ts'
import type { Email } from '../../../src/base/mail/transport.ts'
import { type Language, languages } from '../../../src/base/text/languages.ts'
import { type MimePart, parseMime } from '../../support/mime.ts'
import { emailOf, exampleLogo, exampleValues } from './exampleValues.ts'
import { blocksOf, linksOf, tagsOf } from './htmlText.ts'

const kinds = Object.keys(emailKinds) as EmailKind[]
/** Values that the service itself creates: its URLs, the time, a number. */
const ownNames = new Set(['link', 'sign_in', 'reset', 'apps', 'security', 'left', 'answers', 'cannot_come', 'notifications'])

/** Texts that attackers write into names, and texts that break parsers. */
const traps = [
  '<script>alert(1)</script>',
  '"><img src="https://evil.example/x.png" onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</bdi></p></main><a href="https://evil.example">',
  '<!--',
  ']]>',
  '&lt;b&gt; &amp; &#60;',
  '\r\nBcc: evil@example.com\r\n\r\nbody',
  '\nContent-Type: text/html\n\n',
  '=?utf-8?q?=0D=0ABcc:_evil@example.com?=',
  '{link} {school} {{7*7}} $& $1',
  'https://evil.example/login',
  'javascript:alert(1)',
  'cid:logo@schoolgate',
  '\u202egnp.exe\u2066',
  '\u2028\u2029\0\u001b[2J',
  '--boundary--',
  '.',
]
const wild = fc
  .array(fc.oneof(fc.constantFrom(...traps), fc.string({ unit: 'binary', maxLength: 30 }), fc.lorem({ maxCount: 3 })), { maxLength: 3 })
  .map((parts) => parts.join(' '))

interface Wild {
  school: string
  alt: string
  language: Language
  text: string
}

function wildEmail(kind: EmailKind, { school, alt, language, text }: Wild): Promise<Email> {
  const from = { browser: text, system: text, network: text }
  const own = Object.entries(exampleValues).filter(([name]) => ownNames.has(name))
  const others = Object.keys(exampleValues).filter((name) => !ownNames.has(name))
  const facts = { en: [{ label: text, value: text }], de: [{ label: text, value: text }] }
  const values = {
    ...Object.fromEntries([...own, ...others.map((name) => [name, text])]),
    facts: { ...exampleValues.facts, time_zone: text, from },
    permissions: { en: text, de: text },
    before: { en: text, de: text },
    ...Object.fromEntries(['lessons', 'items', 'copy'].map((name) => [name, facts])),
    until: { en: text, de: text },
    occasion: {
      ...exampleValues.occasion,
      time_zone: text,
      place: text,
      online: text,
      calendar: { ...exampleValues.occasion.calendar, title: text, location: text, url: text },
    },
  } as unknown as typeof exampleValues
  return emailOf(kind, language, { name: school, logo: { ...exampleLogo, alt } }, values)
}

const inputs = fc.record({ school: wild, alt: wild, language: fc.constantFrom(...languages), text: wild })
const plainOnes = { school: 'S', alt: 'S', text: 'x' }

describe.each(kinds)('%s, whatever its values are', (kind) => {
  test('has the tags of its template, and loads nothing', async () => {
    await fc.assert(
      fc.asyncProperty(inputs, async (input) => {
        const shape = async (given: Wild) => tagsOf((await wildEmail(kind, given)).html).map((tag) => tag.replace(/ alt="[^"]*"/, ''))
        const tags = await shape(input)
        expect(tags).toEqual(await shape({ ...plainOnes, language: input.language }))
        const loading = tags.filter((tag) =>
          /^<(?:link|script|iframe|object|form|base|svg|video)|\ssrc=|url\(|\son\w+=|http-equiv|\sbackground=/i.test(tag),
        )
        expect(loading.every((tag) => tag.startsWith('<img src="cid:logo@schoolgate"'))).toBe(true)
        expect(loading).toHaveLength(1)
      }),
      { numRuns: 30 },
    )
  })

  test('says the same in both parts: the same sentences, and the same links, which are of the school', async () => {
    await fc.assert(
      fc.asyncProperty(inputs, async (input) => {
        const { html, text, subject } = await wildEmail(kind, input)
        const [logo, heading, ...blocks] = blocksOf(html)
        const spaces = (output: string) => output.replace(/\s+/g, ' ').trim()
        expect([logo, heading]).toEqual(['', subject])
        // A value may be empty.
        expect(blocks.map(spaces).filter(Boolean)).toEqual(text.split('\n').map(spaces).filter(Boolean))
        const links = linksOf(html)
        expect(text.split('\n').filter((line) => line.startsWith('https://school.example.com/'))).toEqual(links)
        for (const link of links) expect(new URL(link).origin).toBe('https://school.example.com')
      }),
      { numRuns: 30 },
    )
  })

  test('has no header but those of every e-mail', async () => {
    const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
    await fc.assert(
      fc.asyncProperty(inputs, async (input) => {
        const { message } = await transport.sendMail(compose(await wildEmail(kind, input)))
        const { headers, parts } = parseMime(String(message))
        expect([...headers.keys()].toSorted()).toEqual([
          'auto-submitted',
          'content-language',
          'content-type',
          'date',
          'from',
          'message-id',
          'mime-version',
          'subject',
          'to',
        ])
        for (const values of headers.values()) expect(values).toHaveLength(1)
        expect(headers.get('to')).toEqual(['wren@example.com'])
        const leaves = ({ type, parts: inner }: MimePart): string[] => (inner.length === 0 ? [type] : inner.flatMap(leaves))
        const calendar = [...emailKinds[kind].values].includes('occasion') ? ['text/calendar'] : []
        expect(parts.flatMap(leaves)).toEqual(['text/plain', 'text/html', 'image/png', ...calendar])
      }),
      { numRuns: 20 },
    )
  })
})
