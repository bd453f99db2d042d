import type { FactorSetup } from '../factorSetup.ts'
import type { PasskeyForm } from '../passkeyForm.ts'
import type { Frame } from '../templates.ts'
import type { AccountShell } from './accountPage.ts'

/** A page on which a person sets up a second factor, or reads their recovery codes. */
export interface FactorPage extends Frame, AccountShell {
  introduction: string
  setup: FactorSetup
  error: string
  /** The form for the first code. `setup` contains the secret, encrypted. */
  form: { action: string; setup: string; label: string; hint: string; submit: string } | undefined
  passkey: PasskeyForm | undefined
  links: { href: string; label: string }[]
}
