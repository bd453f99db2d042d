import type { Frame } from '../frame.ts'
import type { TextPart } from '../texts.ts'

export interface AccountMessagePage extends Frame {
  heading: string
  paragraphs: TextPart[][]
  links: { href: string; label: string }[]
}
