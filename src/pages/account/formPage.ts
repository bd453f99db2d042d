import type { Frame } from '../templates.ts'
import type { TextPart } from '../texts.ts'

/** A page with one form: what nearly every account page is. */
export interface AccountFormPage extends Frame {
  heading: string
  introduction: TextPart[]
  /** What went wrong as a whole; empty where nothing did, or where a field says it. */
  error: string
  action: string
  csrf: string
  hidden: { name: string; value: string }[]
  fields: FormField[]
  boxes: FormBox[]
  submit: string
  asides: { href: string; label: string }[]
}

/** A line to fill in. */
export interface FormField {
  name: string
  type: 'email' | 'password' | 'text'
  label: string
  value: string
  autocomplete: string
  maxLength: number
  isReadOnly: boolean
  /** Whether what was typed is wrong. */
  isInvalid: boolean
  hint: string
  error: string
  /** Ids of the hint and the error that stand beside it; empty where there are none. */
  describedBy: string
}

/** A box to tick. */
export interface FormBox {
  name: string
  label: string
}

/** A field with its hint and its error tied to it. `isBlamed` ties it to the error of the whole form. */
export function formField(
  field: Pick<FormField, 'name' | 'type' | 'label' | 'autocomplete'> & Partial<FormField>,
  { isBlamed = false, isInvalid = false }: { isBlamed?: boolean; isInvalid?: boolean } = {},
): FormField {
  const { name, hint = '', error = '' } = field
  const described = [...(hint ? [`${name}-hint`] : []), ...(error ? [`${name}-error`] : []), ...(isBlamed ? ['fault'] : [])]
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
