import type { PasskeyForm } from '../passkeyForm.ts'
import type { Frame } from '../templates.ts'

/** A page on which a person sets up a second factor, or reads their recovery codes. */
export interface FactorPage extends Frame {
  heading: string
  introduction: string
  /** The secret of an authenticator app, as a QR code and as text. */
  qr: { size: number; path: string; label: string; typed: string; secret: string } | undefined
  /** Recovery codes. They are shown once. */
  codes: string[]
  error: string
  csrf: string
  /** The form for the first code. `setup` contains the secret, encrypted. */
  form: { action: string; setup: string; label: string; hint: string; submit: string } | undefined
  passkey: PasskeyForm | undefined
  links: { href: string; label: string }[]
}
