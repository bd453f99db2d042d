import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newId } from '../ids.ts'
import type { Log } from '../log/log.ts'
import { lazily } from '../process/lazily.ts'
import { compose } from './compose.ts'
import type { MailTransport } from './transport.ts'

const most = 500

/** Saves e-mails as .eml files, readable by the service only, and keeps the newest 500. They are not sent. */
export function fileTransport({ directory, log }: { directory: string; log: Log }): MailTransport {
  const transport = lazily(async () => {
    const { createTransport } = await import('nodemailer')
    return createTransport({ streamTransport: true, buffer: true, newline: 'unix' })
  })
  return {
    async deliver(email) {
      const { message } = await (await transport()).sendMail(compose(email))
      const file = join(directory, `${newId()}.eml`)
      await mkdir(directory, { recursive: true, mode: 0o700 })
      try {
        await writeFile(file, readable(String(message), email.text), { mode: 0o600, flag: 'wx' })
      } catch (error) {
        await rm(file, { force: true }).catch(() => undefined)
        throw error
      }
      // The link in the e-mail grants access to an account, so it is not logged.
      log.info({ file }, 'a message was written to the outbox, since SMTP_URL is not set')
      await forget(directory)
    },
    describe: () => `SMTP_URL is not set: e-mails are saved to ${directory} and not sent`,
    close() {},
  }
}

/** The text part of a message as nodemailer writes it: two header fields, an empty line, and the text until the next boundary. */
const textPart = /^(Content-Type: text\/plain[^\n]*\n(?: [^\n]*\n)*)Content-Transfer-Encoding: [^\n]*\n\n[\s\S]*?\n(?=--)/m

/** Writes the text part plainly instead of in quoted-printable: the link is copied from the file. */
const readable = (message: string, text: string): string =>
  message.replace(textPart, (_part, type: string) => `${type}Content-Transfer-Encoding: 8bit\n\n${text}\n`)

/** Names begin with the time, so the oldest come first. */
async function forget(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.eml')).toSorted()
  for (const name of names.slice(0, Math.max(0, names.length - most))) await rm(join(directory, name), { force: true })
}
