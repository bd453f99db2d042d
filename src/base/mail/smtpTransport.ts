import { DeliveryFailure } from '../net/deliveryFailure.ts'
import { lazily } from '../process/lazily.ts'
import { compose } from './compose.ts'
import { emailConcurrency, type MailTransport } from './transport.ts'

export interface SmtpOptions {
  url: string
}

const timeoutMilliseconds = 10_000

/** Sends e-mails through an SMTP server, in one attempt each. Throws a DeliveryFailure. */
export function smtpTransport({ url }: SmtpOptions): MailTransport {
  let opened: { close(): void } | undefined
  const transport = lazily(async () => {
    const { createTransport } = await import('nodemailer')
    const created = createTransport({
      url,
      pool: true,
      maxConnections: Object.values(emailConcurrency).reduce((sum, count) => sum + count, 0),
      connectionTimeout: timeoutMilliseconds,
      greetingTimeout: timeoutMilliseconds,
      socketTimeout: timeoutMilliseconds,
    })
    opened = created
    return created
  })
  return {
    async deliver(email) {
      try {
        await (await transport()).sendMail(compose(email))
      } catch (error) {
        throw explained(error)
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

/** The error codes only: the server's text contains the address, and errors are stored. */
function explained(error: unknown): DeliveryFailure {
  const { code, responseCode } = error as SmtpFailure
  const codes = [code, responseCode].filter(Boolean).join(' ') || 'no code'
  return new DeliveryFailure(`the mail server did not take a message: ${codes}`, { isPermanent: isPermanent(error as SmtpFailure) })
}

/**
 * True if the server rejects the envelope or the message with a permanent error (RFC 5321 section 4.2.1: 5yz), or if there is no valid
 * recipient. Wrong credentials are not permanent: the operator can correct them.
 */
const isPermanent = ({ code, responseCode }: SmtpFailure): boolean =>
  (code === 'EENVELOPE' || code === 'EMESSAGE') &&
  (responseCode === undefined || (Number(responseCode) >= 500 && Number(responseCode) < 600))
