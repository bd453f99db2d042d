import type { RegistrationOptions, SignInOptions } from '../identity/factors/passkeyOptions.ts'
import type { Asset } from './asset.ts'
import type { FormBox } from './formBox.ts'
import type { Texts } from './texts.ts'

/** A form that the script of passkeys fills in and submits. Without the script it only says what it needs. */
export interface PasskeyForm {
  ceremony: 'create' | 'get'
  action: string
  hidden: { name: string; value: string }[]
  /** Shown above the form, where the page has another form, too. Empty if there is none. */
  heading: string
  explanation: string
  name: { label: string; hint: string; value: string; maxLength: number } | undefined
  boxes: FormBox[]
  options: string
  /** True if the form is invisible: the browser offers passkeys in the field of the e-mail address. */
  isAutofill: boolean
  label: string
  noScript: string
  unsupported: string
  failed: string
  script: string
}

export function passkeyForm(
  texts: Texts,
  script: Asset,
  {
    options,
    name,
    action,
    hidden,
    label,
    boxes = [],
    isAutofill = false,
    heading = '',
    explanation = '',
  }: Pick<PasskeyForm, 'action' | 'hidden' | 'label'> &
    Partial<Pick<PasskeyForm, 'name' | 'boxes' | 'isAutofill' | 'heading' | 'explanation'>> & {
      options: RegistrationOptions | SignInOptions
    },
): PasskeyForm {
  return {
    ceremony: 'user' in options ? 'create' : 'get',
    ...{ name, action, hidden, label, boxes, isAutofill, heading, explanation },
    options: JSON.stringify(options),
    noScript: texts.text('passkey.no_script'),
    unsupported: texts.text('passkey.unsupported'),
    failed: texts.text('passkey.failed'),
    script: script.href,
  }
}
