import type { FormBox } from '../formBox.ts'
import type { Texts } from '../texts.ts'

const name = 'remember'

export const staySignedInBox = (texts: Texts, { days, isTicked = false }: { days: number; isTicked?: boolean }): FormBox => ({
  name,
  label: texts.counted('sign_in.remember', days),
  isTicked,
})

export const isStaying = (form: URLSearchParams): boolean => form.get(name) !== null
