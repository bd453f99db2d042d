import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeMailPreviews } from '../../../scripts/mails.ts'
import { compose } from '../../../src/base/mail/compose.ts'
import { type EmailKind, emailKinds } from '../../../src/base/mail/emailKinds.ts'
import { languages } from '../../../src/base/text/languages.ts'
import { decodedHeader, parseMime } from '../../support/mime.ts'
import { longText, realTexts } from '../../support/realText.ts'
import { emailOf, exampleValues } from './exampleValues.ts'
import { blocksOf } from './htmlText.ts'

let folder = ''
let paths: string[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'schoolgate-mails-'))
  paths = await writeMailPreviews(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const kinds = Object.keys(emailKinds) as EmailKind[]
const read = (name: string) => readFile(join(folder, name), 'utf8')

test('the previews contain every e-mail in every language, with and without a logo, and nothing else', async () => {
  const expected = kinds.flatMap((kind) =>
    languages.flatMap((language) => ['.txt', '-plain.html', '-logo.html'].map((end) => `${kind}-${language}${end}`)),
  )
  const names = await readdir(folder)
  expect(names.toSorted()).toEqual([...expected, 'index.html'].toSorted())
  expect(paths.toSorted()).toEqual(names.map((name) => join(folder, name)).toSorted())
  const index = await read('index.html')
  for (const name of expected) expect(index).toContain(`href="${name}"`)
})

test('each preview is in its language, complete, and shows the logo where there is one', async () => {
  for (const kind of kinds)
    for (const language of languages) {
      const [text, plain, logo] = await Promise.all(['.txt', '-plain.html', '-logo.html'].map((end) => read(`${kind}-${language}${end}`)))
      expect(text).toMatch(/^Subject: .*Lanternfield/)
      for (const html of [plain, logo]) {
        expect(html).toContain(`<html lang="${language}">`)
        expect(html).not.toMatch(/\{[a-z_]+\}|undefined|cid:/)
      }
      expect([plain?.includes('<img'), logo?.includes('<img src="data:image/png;base64,')]).toEqual([false, true])
    }
})

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
