import type { FactorSetup } from '../factorSetup.ts'
import type { Frame } from '../frame.ts'
import type { PasskeyForm } from '../passkeyForm.ts'
import type { AccountShell } from './accountPage.ts'

export interface FactorPage extends Frame, AccountShell {
  introduction: string
  setup: FactorSetup
  error: string
  /** The form for the first code. `setup` contains the secret, encrypted. */
  form: { action: string; setup: string; label: string; hint: string; submit: string } | undefined
  passkey: PasskeyForm | undefined
  /** Path of the script that copies and prints recovery codes. */
  script?: string
  links: { href: string; label: string }[]
}
