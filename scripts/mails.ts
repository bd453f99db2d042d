/**
 * Writes a preview of each e-mail in each language, with and without a logo of the school: the HTML, the plain text and a list of all.
 *
 *   npm run mails                  writes docs/mails/{kind}-{language}.txt, {kind}-{language}-{logo|plain}.html and index.html
 *   npm run mails -- --out /tmp/m  writes to another folder
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type EmailKind, emailKinds } from '../src/base/mail/emailKinds.ts'
import { logoId } from '../src/base/mail/htmlEmail.ts'
import type { Email } from '../src/base/mail/transport.ts'
import { escapeHtml } from '../src/base/text/escapeHtml.ts'
import { languages } from '../src/base/text/languages.ts'
import { emailOf, exampleLegal, exampleLogo } from '../test/base/mail/exampleValues.ts'

interface Preview {
  name: string
  subject: string
  content: string
}

/** Returns the previews of all e-mails. Browsers do not know the parts of a message, so the HTML contains its picture. */
async function mailPreviews(): Promise<Preview[]> {
  const branding = { name: 'Lanternfield School of Making', legal: exampleLegal }
  const kinds = Object.keys(emailKinds) as EmailKind[]
  const all = kinds.flatMap((kind) => languages.map((language) => ({ kind, language })))
  const previews = await Promise.all(
    all.map(async ({ kind, language }) => {
      const plain = await emailOf(kind, language, branding)
      const withLogo = await emailOf(kind, language, { ...branding, logo: exampleLogo })
      const name = `${kind}-${language}`
      const { subject, text } = plain
      return [
        { name: `${name}.txt`, subject, content: `Subject: ${subject}\n\n${text}` },
        { name: `${name}-plain.html`, subject, content: plain.html },
        { name: `${name}-logo.html`, subject, content: withPicture(withLogo) },
      ]
    }),
  )
  return previews.flat()
}

const withPicture = ({ html, logo }: Email): string =>
  logo ? html.replace(`cid:${logoId}`, `data:${logo.contentType};base64,${logo.content.toString('base64')}`) : html

/** Writes the previews and a page that lists them. Returns the paths. */
export async function writeMailPreviews(folder: string): Promise<string[]> {
  const previews = await mailPreviews()
  await mkdir(folder, { recursive: true })
  const entries = previews.map(({ name, subject }) => `<li><a href="${name}">${name}</a> ${escapeHtml(subject)}</li>`)
  const index = `<!doctype html><meta charset="utf-8"><title>E-mails</title><h1>E-mails</h1><ul>${entries.join('\n')}</ul>\n`
  const files = [...previews, { name: 'index.html', content: index }]
  return Promise.all(
    files.map(async ({ name, content }) => {
      const path = join(folder, name)
      await writeFile(path, content)
      return path
    }),
  )
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { out: { type: 'string' }, help: { type: 'boolean', short: 'h' } } })
  if (values.help) console.log('npm run mails [-- --out <folder>]   writes previews of all e-mails, by default to docs/mails')
  else {
    const folder = resolve(values.out ?? join(import.meta.dirname, '../docs/mails'))
    const paths = await writeMailPreviews(folder)
    console.log(`${paths.length} files in ${folder}: open index.html`)
  }
}
