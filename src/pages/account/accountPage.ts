import type { FormBox } from '../formBox.ts'
import type { FormField, FormLink } from '../formPage.ts'
import type { Picture } from '../schoolLogo.ts'
import type { Frame } from '../templates.ts'
import type { TextPart } from '../texts.ts'
import type { AccountNavigation } from './accountNavigation.ts'

/** The members of every account page except its content. */
export interface AccountShell {
  navigation: AccountNavigation
  /** Name and address of the person. */
  signedIn: TextPart[]
  heading: string
  /** Confirmation of the last action; empty if there was none. */
  notice: string
  csrf: string
  /** Notice that the account will be deleted, with the form that keeps it; undefined if no deletion is scheduled. */
  deletion: { heading: string; explanation: string; keep: { action: string; submit: string } | undefined } | undefined
}

/** A page of the account: sections with facts, lists and forms. */
export interface AccountPage extends Frame, AccountShell {
  introduction: TextPart[]
  /** Errors of the submitted form, with links to their fields; undefined if there are none. */
  errors: { heading: string; list: { href: string | undefined; text: string }[] } | undefined
  sections: AccountSection[]
}

export interface AccountSection {
  id: string
  heading: string
  paragraphs: TextPart[][]
  picture?: (Picture & { alt: string }) | undefined
  /** The initials that stand in for a missing picture. */
  initials?: string
  items?: AccountItem[]
  forms?: AccountForm[]
  links?: FormLink[]
  isDanger?: boolean
}

/** One entry of a list, such as a sign-in, with the form that removes it. */
export interface AccountItem {
  id: string
  title: TextPart[]
  lines: TextPart[][]
  /** A short label, such as “This browser”. */
  mark?: string
  form?: AccountForm
  link?: FormLink
}

export interface AccountForm {
  action: string
  hidden?: { name: string; value: string }[]
  fields?: AccountField[]
  boxes?: (FormBox & { isTicked?: boolean; isRequired?: boolean; isDisabled?: boolean; hint?: string; id: string; error?: string })[]
  submit: string
  kind?: 'main' | 'danger'
  isMultipart?: boolean
  /** Ids of the elements that distinguish this button from others with the same label. */
  describedBy?: string
}

/** A field: a text input, a list of options, or a file. */
export interface AccountField extends Omit<FormField, 'type'> {
  type: FormField['type'] | 'select' | 'file'
  isOptional?: boolean
  groups?: { label: string; options: FieldOption[] }[]
  accept?: string
}

export interface FieldOption {
  value: string
  label: string
  isSelected: boolean
}
