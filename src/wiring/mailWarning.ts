import { isLoopback } from '../config/address.ts'

/** What to warn about at start: people on the internet use a service that sends no e-mail. Undefined where all is well. */
export function mailWarning(issuers: readonly string[], smtpUrl: string | undefined): string | undefined {
  const open = issuers.find((issuer) => !isLoopback(issuer))
  if (open === undefined || smtpUrl !== undefined) return undefined
  return `SMTP_URL is not set and ${open} is public: e-mails are saved in the data directory and not sent, so nobody can sign up or reset a password. Set SMTP_URL.`
}
