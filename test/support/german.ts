import { emailTemplates } from '../../src/base/mail/emailTemplates.ts'
import { resources, scopeCatalogue } from '../../src/school/index.ts'
import de from '../../views/locales/de.json' with { type: 'json' }
import en from '../../views/locales/en.json' with { type: 'json' }

/** The pieces of texts between placeholders that are long enough to be recognised. */
const piecesOf = (texts: Iterable<string>): string[] =>
  [...texts]
    .flatMap((text) => text.split(/\{[a-z_]+\}|\n+|[[\]]/))
    .flatMap((piece) => (piece.trim().length >= 12 && /\s\S/.test(piece.trim()) ? [piece.trim()] : []))

/** Returns the subjects and the texts of e-mail templates. */
export const textsOf = (templates: Record<string, { subject: string; text: string }>): string[] =>
  Object.values(templates).flatMap(({ subject, text }) => [subject, text])

const german = piecesOf([...Object.values(de), ...textsOf(emailTemplates.de)]).join('\n')

/** The pieces of the English texts that no German text contains. */
export const english: readonly string[] = piecesOf([
  ...Object.values(en),
  ...textsOf(emailTemplates.en),
  ...scopeCatalogue(resources).map(({ sentence }) => sentence),
]).filter((piece) => !german.includes(piece))

/** Words of English that no German text contains. */
const englishWord = /\b(?:the|and|your|you|this|these|with|cannot|please|must|are|is|not found|from|of|to sign)\b/i

/** Returns what a person reads on a page, one line for each element. */
export const visibleText = (html: string): string =>
  html
    .replace(/<style>[\s\S]*?<\/style>|<script\b[\s\S]*?<\/script>/g, ' ')
    // The names of languages are in their own language, and links to English documents say that these are English.
    // The details of an error are for programs, and marked as English.
    .replace(/<(a|code)\b[^>]* lang="en"[\s\S]*?<\/\1>/g, ' ')
    // Names of time zones and languages to choose from.
    .replace(/<option\b[\s\S]*?<\/option>|<datalist\b[\s\S]*?<\/datalist>/g, ' ')
    .replace(/<[^>]*>/g, '\n')
    .replaceAll('&#39;', "'")
    .replaceAll('&#34;', '"')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')

/** Returns the English sentences and lines of a text that should be German. */
export const englishIn = (text: string): string[] => [
  ...english.filter((piece) => text.includes(piece)),
  ...text.split('\n').filter((line) => englishWord.test(line)),
]
