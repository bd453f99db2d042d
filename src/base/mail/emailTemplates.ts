import type { Language } from '../text/languages.ts'
import { readText } from '../text/views.ts'
import { type EmailKind, emailKinds } from './emailKinds.ts'

/** A paragraph of the text that consists of one placeholder shows a list, and `[label]({placeholder})` a button. */
interface EmailTemplate {
  subject: string
  text: string
}

type EmailTemplates = Readonly<Record<EmailKind, EmailTemplate>>

/** The templates by language. `de.informal` has those of schools that address people as du: a template without an address is only in `de`. */
export const emailTemplates: Readonly<Record<Language | 'de.informal', EmailTemplates>> = {
  en: readTemplates('en'),
  de: readTemplates('de'),
  'de.informal': readTemplates('de.informal', 'de'),
}

/** Reads and checks the templates of a language once. An error in one of them prevents the start. */
function readTemplates(language: string, fallback = language): EmailTemplates {
  const templates = Object.entries(emailKinds).map(([kind, { values }]) => {
    const path = [language, fallback].map((one) => `mails/${one}/${kind}.md`).find((one) => readText(one) !== undefined) ?? kind
    return [kind, parseTemplate(`views/${path}`, readText(path) ?? '', values)]
  })
  return Object.fromEntries(templates) as EmailTemplates
}

/**
 * Parses a template: `# subject`, an empty line, and the paragraphs of the text.
 * @throws Error with the path and the line if it has another form, an unknown placeholder, or not every placeholder
 */
export function parseTemplate(path: string, content: string, values: readonly string[]): EmailTemplate {
  const source = content.replaceAll('\r\n', '\n')
  const { subject, text } = /^# (?<subject>.*\S)\n\n(?<text>\S[\s\S]*\S)\s*$/.exec(source)?.groups ?? {}
  if (subject === undefined || text === undefined) throw new Error(`${path}:1: a template is "# subject", an empty line, and the text`)
  const known = ['school', ...values].map((name) => `{${name}}`)
  const placeholders = [...source.matchAll(/\{[^{}]*\}|[{}]/g)]
  const unknown = placeholders.find(([place]) => !known.includes(place))
  if (unknown) {
    const line = source.slice(0, unknown.index).split('\n').length
    throw new Error(`${path}:${line}: ${unknown[0]} is not a placeholder of this e-mail, which has ${known.join(', ')}`)
  }
  const missing = known.filter((name) => !placeholders.some(([place]) => place === name))
  if (missing.length > 0) throw new Error(`${path}:1: the placeholder ${missing.join(', ')} is missing`)
  return { subject, text }
}
