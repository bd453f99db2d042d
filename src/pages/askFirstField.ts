import type { OAuthConfig } from '../config/oauth.ts'

/** The checkbox of the consent page that lets an app ask before it does what cannot be undone. */
export interface AskFirstField {
  name: string
  /** Name of the hidden field which says that the page had the checkbox. */
  shown: string
  isTicked: boolean
}

const [name, shown] = ['ask_first', 'ask_first_shown']

/** Returns the checkbox; undefined if the operator requires that every app asks. `asks` is what the person chose before. */
export const askFirstField = (rule: OAuthConfig['consent']['ask_first'], asks: boolean | undefined): AskFirstField | undefined =>
  rule === 'always' ? undefined : { name, shown, isTicked: asks ?? rule === 'preselected' }

/** Returns what the person chose; undefined if the page had no checkbox. */
export const readAskFirst = (form: URLSearchParams): boolean | undefined => (form.has(shown) ? form.has(name) : undefined)
