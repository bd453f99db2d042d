import type { FootLine } from './emailFoot.ts'
import { type EmailFact, shownLabel } from './emailValues.ts'

/** A piece of a paragraph. Values are isolated, so that their writing direction does not affect the sentence. */
interface Piece {
  text: string
  isValue: boolean
}

/** One paragraph of an e-mail. The plain text and the HTML are written from the same parts. */
export type EmailPart =
  | { kind: 'sentence'; pieces: Piece[] }
  | { kind: 'link'; label: string; url: string }
  | { kind: 'facts'; facts: readonly EmailFact[] }

/** The value of a placeholder in the language of the e-mail, as one line; or lines of facts. */
export type FilledValue = string | readonly EmailFact[]

interface PartsArguments {
  issuer: string
  value(name: string): FilledValue
}

/**
 * Fills a template. A paragraph that consists of one placeholder becomes a list if its value is a list, and `[label]({placeholder})` becomes a
 * button if the value is a URL of the school. Values are never searched for placeholders.
 * @throws Error if a value is missing
 */
export function emailParts(template: string, { issuer, value }: PartsArguments): EmailPart[] {
  return template.split(/\n{2,}/).map((paragraph): EmailPart => {
    const { label, name } = /^(?:\[(?<label>[^\]]+)\]\()?\{(?<name>[a-z_]+)\}\)?$/.exec(paragraph)?.groups ?? {}
    if (name === undefined) return { kind: 'sentence', pieces: piecesOf(paragraph, value) }
    const filled = value(name)
    if (typeof filled === 'object') return { kind: 'facts', facts: filled }
    if (label !== undefined && isOwnUrl(filled, issuer)) return { kind: 'link', label, url: filled }
    return { kind: 'sentence', pieces: [{ text: filled, isValue: true }] }
  })
}

export const fillLine = (template: string, value: (name: string) => FilledValue): string =>
  piecesOf(template, value)
    .map(({ text }) => text)
    .join('')

/** Only URLs of the school's own origin become links. */
const isOwnUrl = (text: string, issuer: string): boolean => URL.parse(text)?.origin === new URL(issuer).origin && !/[\s"<>]/.test(text)

const piecesOf = (template: string, value: (name: string) => FilledValue): Piece[] =>
  template
    .split(/(\{[a-z_]+\})/)
    .filter((piece) => piece !== '')
    .map((piece) => {
      const name = /^\{([a-z_]+)\}$/.exec(piece)?.[1]
      if (name === undefined) return { text: piece, isValue: false }
      const filled = value(name)
      if (typeof filled !== 'string') throw new Error(`the placeholder ${name} needs a separate paragraph`)
      return { text: filled, isValue: true }
    })

export const plainEmail = (parts: readonly EmailPart[], foot: readonly FootLine[]): string =>
  `${[...parts.map(plainPart), ...(foot.length > 0 ? [foot.map(({ label, url }) => `${label}: ${url}`).join('\n')] : [])].join('\n\n')}\n`

function plainPart(part: EmailPart): string {
  if (part.kind === 'link') return `${part.label}:\n${part.url}`
  if (part.kind === 'facts') return part.facts.map((fact) => `${shownLabel(fact)} ${fact.value}`).join('\n')
  return part.pieces.map(({ text }) => text).join('')
}
