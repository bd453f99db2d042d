import { isLoopback } from '../../config/address.ts'

export function mailWarning(issuers: readonly string[], smtpUrl: string | undefined): string | undefined {
  const open = issuers.find((issuer) => !isLoopback(issuer))
  if (open === undefined || smtpUrl !== undefined) return undefined
  return `SMTP_URL is not set and ${open} is public: e-mails are saved in the data directory and not sent, so people cannot sign up or reset a password. Set SMTP_URL.`
}
