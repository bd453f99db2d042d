import { setTimeout } from 'node:timers/promises'
import { lazily } from '../lib/lazily.ts'
import { compose } from './compose.ts'
import type { MailTransport } from './transport.ts'

export interface SmtpOptions {
  /** `smtp://` or `smtps://` URL, with user and password if the server requires them. */
  url: string
  /** Pauses before the next attempt, in milliseconds; their number is the number of retries. */
  pauses?: readonly number[]
}

const patienceMilliseconds = 10_000

/** Sends e-mails through an SMTP server. Temporary failures are retried; permanent failures throw. */
export function smtpTransport({ url, pauses = [1000, 5000] }: SmtpOptions): MailTransport {
  let opened: { close(): void } | undefined
  const transport = lazily(async () => {
    const { createTransport } = await import('nodemailer')
    const created = createTransport({
      url,
      pool: true,
      maxConnections: 2,
      connectionTimeout: patienceMilliseconds,
      greetingTimeout: patienceMilliseconds,
      socketTimeout: patienceMilliseconds,
    })
    opened = created
    return created
  })
  return {
    async deliver(email) {
      const left = [...pauses]
      for (;;) {
        try {
          await (await transport()).sendMail(compose(email))
          return
        } catch (error) {
          const pause = isTemporary(error) ? left.shift() : undefined
          if (pause === undefined) throw withoutAddress(error)
          await setTimeout(pause)
        }
      }
    },
    describe: () => `messages go to the mail server ${new URL(url).host}`,
    close: () => opened?.close(),
  }
}

interface SmtpFailure {
  code?: unknown
  responseCode?: unknown
}

/** The error codes only: the server's text contains the address, and errors are logged. */
function withoutAddress(error: unknown): Error {
  const { code, responseCode } = error as SmtpFailure
  return new Error(`the mail server did not take a message: ${[code, responseCode].filter(Boolean).join(' ') || 'no code'}`)
}

/** Returns true if there was no response or a temporary error (RFC 5321 section 4.2.1: 4yz). */
function isTemporary(error: unknown): boolean {
  const { code, responseCode } = error as SmtpFailure
  if (typeof responseCode === 'number') return responseCode >= 400 && responseCode < 500
  return code === 'ECONNECTION' || code === 'ETIMEDOUT' || code === 'ESOCKET' || code === 'EDNS'
}
