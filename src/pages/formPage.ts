import type { FactorSetup } from './factorSetup.ts'
import type { FormBox } from './formBox.ts'
import type { Frame } from './frame.ts'
import type { PasskeyForm } from './passkeyForm.ts'
import type { TextPart } from './texts.ts'

export interface FormPage extends Frame {
  heading: string
  introduction: TextPart[]
  /** Error of the whole form; empty if there is none or a field shows it. */
  error: string
  action: string
  csrf: string
  hidden: { name: string; value: string }[]
  setup: FactorSetup | undefined
  fields: FormField[]
  boxes: FormBox[]
  /** Documents of which the page informs the person at the button. */
  documents?: { text: TextPart[]; links: FormLink[] } | undefined
  submit: string
  links: FormLink[]
  cancel: { action: string; label: string } | undefined
  back: FormLink | undefined
  passkey: PasskeyForm | undefined
  script?: string
}

export interface FormLink {
  href: string
  label: string
}

export interface FormField {
  name: string
  type: 'email' | 'password' | 'text'
  label: string
  value: string
  autocomplete: string
  maxLength: number
  isReadOnly: boolean
  isInvalid: boolean
  hint: string
  error: string
  /** Ids of the hint and the error of the field; empty if it has neither. */
  describedBy: string
}

const secretFields: ReadonlySet<string> = new Set(['password', 'current', 'repeated', 'code'])

/** True for a field with a password or a code, which is never stored. */
export const isSecretField = (name: string): boolean => secretFields.has(name)

/** Connects a field with its hint and its error. `hasFormError` connects it with the error of the whole form, too. */
export function formField(
  field: Pick<FormField, 'name' | 'type' | 'label' | 'autocomplete'> & Partial<FormField>,
  { hasFormError = false, isInvalid = false }: { hasFormError?: boolean; isInvalid?: boolean } = {},
): FormField {
  const { name, hint = '', error = '' } = field
  if ((field.type === 'password' || /password|one-time-code/.test(field.autocomplete)) && !isSecretField(name))
    throw new Error(`${name} has a secret: add it to secretFields`)
  const id = name.replaceAll('.', '-')
  const described = [...(hint ? [`${id}-hint`] : []), ...(error ? [`${id}-error`] : []), ...(hasFormError ? ['error'] : [])]
  return {
    value: '',
    maxLength: 254,
    isReadOnly: false,
    ...field,
    hint,
    error,
    isInvalid: isInvalid || error !== '',
    describedBy: described.join(' '),
  }
}
