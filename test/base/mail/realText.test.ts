import { createTransport } from 'nodemailer'
import { expect, test } from 'vitest'
import { compose } from '../../../src/base/mail/compose.ts'
import { decodedHeader, parseMime } from '../../support/mime.ts'
import { longText, realTexts } from '../../support/realText.ts'
import { emailOf, exampleValues } from './exampleValues.ts'
import { blocksOf } from './htmlText.ts'

test.each([...Object.values(realTexts), longText])('an e-mail about %j has it in its subject, its sender and both parts', async (name) => {
  const stream = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  const email = await emailOf('event_canceled', 'en', { name }, { ...exampleValues, title: name })
  const { headers, parts } = parseMime(String((await stream.sendMail(compose(email))).message))
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
