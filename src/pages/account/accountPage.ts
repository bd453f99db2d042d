import type { CommentForm, SiteComment } from '../../base/sitePage.ts'
import type { ThemeColours } from '../../base/themeColours.ts'
import type { FormBox } from '../formBox.ts'
import type { FormField, FormLink } from '../formPage.ts'
import type { Frame } from '../frame.ts'
import type { Picture } from '../schoolLogo.ts'
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
  /** Boxes about requests of apps that wait for the person and, for owners, about unusual apps. Empty if the page does not show them. */
  waiting: { text: TextPart[]; href: string; label: string }[]
  /** Notice that the account will be deleted, with the form that keeps it; undefined if no deletion is scheduled. */
  deletion: { heading: string; explanation: string; keep: { action: string; submit: string } | undefined } | undefined
}

/** A page of the account: sections with facts, lists and forms. */
export interface AccountPage extends Frame, AccountShell {
  /** The link to the page above this one. */
  back?: FormLink | undefined
  /** The language of the heading and of the school's texts, if it is not that of the page (BCP 47). */
  textLanguage?: string | undefined
  introduction: TextPart[]
  /** Errors of the submitted form, with links to their fields; undefined if there are none. */
  errors: { heading: string; list: { href: string | undefined; text: string }[] } | undefined
  sections: AccountSection[]
  /** Links to the previous and the next page. */
  neighbours?: (FormLink & { relation: 'prev' | 'next' })[]
  neighboursLabel: string
  /** Path of the script that copies, if the page has something to copy. */
  script?: string | undefined
}

/** A table of texts. The first cell of each row names the row. */
export interface AccountTable {
  caption: string
  /** The summary behind which the table is folded away. */
  summary?: string
  head: string[]
  rows: AccountRow[]
  /** The form for the ticked rows. */
  many?: {
    action: string
    hidden: { name: string; value: string }[]
    label: string
    options: { value: string; label: string }[]
    submit: string
  }
}

interface AccountRow {
  cells: (TextPart[] | (FormLink & { line?: string }) | { text: TextPart[]; below: TextPart[] })[]
  /** The box with which the row is ticked. */
  box?: { value: string; label: string }
  /** Links to the actions on the row, in the last cell, behind their summary. */
  menu?: { summary: string; links: FormLink[] }
  /** The actions on the row, in the last cell. */
  forms?: AccountForm[]
  /** The summary behind which the forms are folded away. */
  summary?: string
  /** Shown instead of the forms. */
  note?: string
}

/** Links between pages that belong together. */
export interface PageLinks {
  label: string
  items: { href: string; label: string; isCurrent: boolean }[]
}

export interface AccountSection {
  id: string
  heading: string
  /** True if the heading is a text of the school. */
  isSchoolText?: boolean
  paragraphs?: TextPart[][]
  /** A text of the school as sanitised HTML. */
  html?: string | undefined
  media?: AccountMedia | undefined
  comments?: readonly SiteComment[]
  commentForm?: CommentForm | undefined
  facts?: { label: string; value: TextPart[] }[]
  /** Figures, each with its earlier value and the page with its rows. */
  tiles?: { label: string; value: string; before: string; href?: string | undefined }[]
  /** Links of which one is chosen. */
  choices?: PageLinks
  /** An address to copy. */
  copy?: { label: string; value: string; submit: string; done: string } | undefined
  picture?: (Picture & { alt: string }) | undefined
  /** The initials that stand in for a missing picture. */
  initials?: string
  items?: AccountItem[]
  chart?: AccountChart
  sample?: { label: string; button: string; link: string; text: string; colours: ThemeColours }
  table?: AccountTable
  forms?: AccountForm[]
  /** Forms that are shown only after the person has opened their summary. */
  details?: { summary: string; paragraphs: TextPart[][]; forms: AccountForm[] }[]
  links?: FormLink[]
  isDanger?: boolean
  /** True if the forms are answers to one question: they are shown next to each other. */
  isDecision?: boolean
}

/** Bars in a drawing of 100 by 40 units, with the value of its top and some dates below. A table of the section has the values. */
export interface AccountChart {
  label: string
  top: string
  dates: string[]
  /** The height of zero. */
  zero: number
  bars: { x: number; y: number; width: number; height: number; title: string }[]
}

/** A video, a recording or the page of a player. */
export interface AccountMedia {
  kind: 'video' | 'audio' | 'player'
  src: string
  label: string
}

/** One entry of a list, such as a sign-in, with the form that removes it. */
export interface AccountItem {
  id: string
  title: TextPart[]
  lines: TextPart[][]
  /** A short label, such as “This browser”. */
  mark?: string
  /** True if the mark is about something wrong. */
  isBad?: boolean
  /** Language of the title, if it is not that of the texts of the page (BCP 47). */
  textLanguage?: string | undefined
  /** Where the title leads. */
  href?: string | undefined
  /** A share of 100, with its text. */
  progress?: { value: number; label: string } | undefined
  /** Lines that are shown only after the person has opened their summary. */
  details?: { summary: string; lines: TextPart[][] }
  form?: AccountForm | undefined
  link?: FormLink | undefined
  links?: FormLink[]
}

export interface AccountForm {
  action: string
  /** True if the form only filters the page, or shows a preview: its fields become the query of the address. */
  isSearch?: boolean | 'preview'
  hidden?: { name: string; value: string }[]
  fields?: AccountField[]
  boxes?: (FormBox & { isTicked?: boolean; isRequired?: boolean; isDisabled?: boolean; hint?: string; id: string; error?: string })[]
  submit: string
  kind?: 'main' | 'danger' | 'main danger'
  isMultipart?: boolean
  /** Ids of the elements that distinguish this button from others with the same label. */
  describedBy?: string
}

/** A field: a text input, a list of options, one or several choices, or a file. */
export interface AccountField extends Omit<FormField, 'type'> {
  type: FormField['type'] | 'date' | 'datetime-local' | 'color' | 'textarea' | 'select' | 'radio' | 'checkbox' | 'file'
  /** Id of the element, if another field of the page has the same name. */
  id?: string
  isOptional?: boolean
  /** True if devices should send the text as it is typed, without their corrections. */
  isVerbatim?: boolean
  groups?: { label: string; options: FieldOption[] }[]
  accept?: string
}

export interface FieldOption {
  value: string
  label: string
  isSelected: boolean
}
