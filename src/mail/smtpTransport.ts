import { setTimeout } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import { compose } from './compose.ts'
import type { MailTransport } from './transport.ts'

export interface SmtpOptions {
  /** `smtp://` or `smtps://`, with the user and password where the server wants them. */
  url: string
  /** Before another attempt, in milliseconds: as many attempts more as there are pauses. */
  pauses?: readonly number[]
}

const patienceMilliseconds = 10_000

/** Hands messages to a mail server. What fails for now is tried again; what fails for good throws. */
export function smtpTransport({ url, pauses = [1000, 5000] }: SmtpOptions): MailTransport {
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: 2,
    connectionTimeout: patienceMilliseconds,
    greetingTimeout: patienceMilliseconds,
    socketTimeout: patienceMilliseconds,
  })
  return {
    async deliver(email) {
      const left = [...pauses]
      for (;;) {
        try {
          await transport.sendMail(compose(email))
          return
        } catch (error) {
          const pause = isTemporary(error) ? left.shift() : undefined
          if (pause === undefined) throw withoutAddress(error)
          await setTimeout(pause)
        }
      }
    },
    describe: () => `messages go to the mail server ${new URL(url).host}`,
    close: () => transport.close(),
  }
}

interface SmtpFailure {
  code?: unknown
  responseCode?: unknown
}

/** The failure by its codes alone: the server's words quote the address, and failures are logged. */
function withoutAddress(error: unknown): Error {
  const { code, responseCode } = error as SmtpFailure
  return new Error(`the mail server did not take a message: ${[code, responseCode].filter(Boolean).join(' ') || 'no code'}`)
}

/** No answer, or one that says so (RFC 5321 section 4.2.1: 4yz). */
function isTemporary(error: unknown): boolean {
  const { code, responseCode } = error as SmtpFailure
  if (typeof responseCode === 'number') return responseCode >= 400 && responseCode < 500
  return code === 'ECONNECTION' || code === 'ETIMEDOUT' || code === 'ESOCKET' || code === 'EDNS'
}
