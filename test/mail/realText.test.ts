import { createTransport } from 'nodemailer'
import { expect, test } from 'vitest'
import { languages } from '../../src/lib/languages.ts'
import { compose } from '../../src/mail/compose.ts'
import { createMail } from '../../src/mail/mail.ts'
import { decodedHeader, parseMime } from '../support/mime.ts'
import { longText, realTexts } from '../support/realText.ts'
import { exampleSchool, exampleValues } from './exampleValues.ts'
import { blocksOf } from './htmlText.ts'

test.each([...Object.values(realTexts), longText])('an e-mail about %j has it in its subject, its sender and both parts', async (name) => {
  const messages: string[] = []
  const stream = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  const deliver = async (email: Parameters<typeof compose>[0]) =>
    void messages.push(String((await stream.sendMail(compose(email))).message))
  const send = createMail({
    transport: { deliver, describe: () => '', close() {} },
    branding: async () => ({ name, locale: 'en', legal: {} }),
    languages: () => languages,
  })
  await send(exampleSchool, { email: 'wren@example.com', locales: ['en'] }, 'event_canceled', { ...exampleValues, title: name })
  const { headers, parts } = parseMime(messages[0] ?? '')
  const [subject = '', from = ''] = ['subject', 'from'].map((field) => headers.get(field)?.join('\n'))
  for (const value of [subject, from]) expect(value).toMatch(/^[\x20-\x7e]+$/)
  expect(decodedHeader(subject)).toContain(name)
  expect(
    decodedHeader(from)
      .replace(/^"|"(?= <)/g, '')
      .replace(/\\(.)/g, '$1'),
  ).toBe(`${name} <no-reply@school.example.com>`)
  // The calendar file of the event comes after the text.
  const [plain = '', html = ''] = (parts[0]?.parts ?? []).map(({ content }) => content.toString())
  expect(plain).toContain(name)
  expect(blocksOf(html).join('\n')).toContain(name)
})
