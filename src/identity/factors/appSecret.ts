import { lazily } from '../../base/process/lazily.ts'
import { comparisonForm } from '../../base/text/comparisonForm.ts'

/** Steps of 30 seconds before and after the current one whose codes are accepted: clocks differ, and typing takes time (RFC 6238 section 5.2). */
const window = 1

const library = lazily(() => import('otpauth'))

/** Returns a random secret of 160 bits in base 32 (RFC 4226 section 4). */
export async function newAppSecret(): Promise<string> {
  const { Secret } = await library()
  return new Secret({ size: 20 }).base32
}

/** Returns the URI that authenticator apps read from a QR code. `label` distinguishes accounts of one school. */
export async function appUri(secret: string, { school, label }: { school: string; label: string }): Promise<string> {
  return (await totpOf(secret, { issuer: plain(school), label: plain(label) })).toString()
}

export async function stepOfCode(secret: string, code: string, at = Date.now()): Promise<number | undefined> {
  if (!/^\d{6}$/.test(code)) return undefined
  const totp = await totpOf(secret)
  const delta = totp.validate({ token: code, timestamp: at, window })
  return delta === null ? undefined : totp.counter({ timestamp: at }) + delta
}

/** Returns what a person typed as a code: spaces, which apps show, do not count. */
export const typedCode = (typed: string): string => comparisonForm(typed.slice(0, 100)).replaceAll(/[ -]/g, '')

// SHA-1, six digits and 30 seconds are the only parameters that every app supports.
async function totpOf(secret: string, names: { issuer?: string; label?: string } = {}) {
  const { Secret, TOTP } = await library()
  return new TOTP({ ...names, secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period: 30 })
}

// A colon separates issuer and label.
const plain = (text: string): string => text.replaceAll(/[:\p{Cc}]/gu, ' ').slice(0, 100)
