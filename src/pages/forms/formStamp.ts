import { hash, type Keyring } from '../../base/keyring.ts'
import type { School } from '../../base/school.ts'

export interface StampedForm {
  school: Pick<School, 'id'>
  form: { id: string; consent_text: string | null }
}

export interface FormStamps {
  issue(form: StampedForm, at?: number): string
  /** Returns for how many seconds the form has been shown; undefined if the stamp is not of this form or its text has changed. */
  secondsSince(form: StampedForm, stamp: string): number | undefined
}

/** A form that was shown longer ago must be shown again. */
const longestSeconds = 86_400

/** Creates stamps `<time in milliseconds>.<signature>`. */
export function createFormStamps(keyring: Keyring): FormStamps {
  const subjectOf = ({ school, form }: StampedForm, at: number): string => `${school.id} ${form.id} ${at} ${hash(form.consent_text ?? '')}`
  return {
    issue: (stamped, at = keyring.now()) => `${at}.${keyring.sign('forms', subjectOf(stamped, at))}`,
    secondsSince(stamped, stamp) {
      const [, time = '', signature = ''] = /^(\d{1,15})\.([\w-]{1,64})$/.exec(stamp) ?? []
      if (!keyring.verify('forms', subjectOf(stamped, Number(time)), signature)) return undefined
      const seconds = (keyring.now() - Number(time)) / 1000
      return seconds > longestSeconds ? undefined : seconds
    },
  }
}
