import type { Frame } from '../templates.ts'
import type { TextPart } from '../texts.ts'

/** A page that says how things stand, and where to go on. */
export interface AccountMessagePage extends Frame {
  heading: string
  paragraphs: TextPart[][]
  links: { href: string; label: string }[]
}
