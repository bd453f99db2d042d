import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeMailPreviews } from '../../../scripts/mails.ts'
import { type EmailKind, emailKinds } from '../../../src/base/mail/emailKinds.ts'
import { languages } from '../../../src/base/text/languages.ts'

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
