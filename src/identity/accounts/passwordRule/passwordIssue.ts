import { languages } from '../../../base/text/languages.ts'
import { isTooLong } from '../password.ts'
import { commonWords } from './commonWords.ts'

const seasons = 'spring summer autumn fall winter frühling fruehling frühjahr fruehjahr sommer herbst winter'.split(' ')

const days = Array.from({ length: 12 }, (_month, month) => Array.from({ length: 7 }, (_day, day) => new Date(2024, month, day + 1))).flat()

/** Seasons, months and weekdays in every language of the pages, in lower case, with and without umlauts. */
const calendarWords: ReadonlySet<string> = new Set([
  ...seasons,
  ...languages.flatMap((language) =>
    (['month', 'weekday'] as const).flatMap((part) => {
      const format = new Intl.DateTimeFormat(language, { [part]: 'long' })
      return days.map((day) => format.format(day).toLowerCase()).flatMap((word) => [word, word.replaceAll('ä', 'ae')])
    }),
  ),
])

/** NIST SP 800-63B section 5.1.1.2: a minimum length and no rules about kinds of characters. */
export const minPasswordCharacters = 8

export const advisedPasswordCharacters = 15

export type PasswordIssue = 'too_short' | 'too_long' | 'not_typed' | 'too_common' | 'too_close'

export interface PasswordContext {
  email: string
  name?: string
  schoolName?: string
}

/**
 * Checks a new password without a dictionary: its length, common passwords, and similarity to the person's data. Returns undefined if it is
 * accepted.
 */
export function passwordIssue(password: string, context: PasswordContext): PasswordIssue | undefined {
  const text = password.normalize('NFKC')
  if ([...text].length < minPasswordCharacters) return 'too_short'
  if (isTooLong(password)) return 'too_long'
  if (/[\p{Cc}\p{Cs}]/u.test(text)) return 'not_typed'
  const plain = text.toLowerCase()
  if (isCommon(plain)) return 'too_common'
  return isCloseTo(plain, context) ? 'too_close' : undefined
}

const rows =
  'abcdefghijklmnopqrstuvwxyz 01234567890 qwertyuiop qwertzuiop azertyuiop asdfghjkl zxcvbnm yxcvbnm 1q2w3e4r5t6z7u8i9o0p 1qaz2wsx3edc4rfv'.split(
    ' ',
  )
const runs = rows.flatMap((row) => [row, [...row].reverse().join('')])

function isCommon(plain: string): boolean {
  // A short piece or a common word, repeated.
  const piece = /^(.+?)\1+$/su.exec(plain)?.[1]
  if (piece !== undefined && (piece.length <= 5 || commonWords.has(piece))) return true
  const [start = '', ...rest] = piecesOf(plain)
  // Only sequences of a keyboard or of the alphabet: 12345678, qwerty123.
  if ([start, ...rest].every((piece) => piece.length >= 3 && runs.some((run) => run.includes(piece)))) return true
  return [plain, unleet(plain)].some((text) => {
    if (isCalendarPhrase(text)) return true
    const word = text.replace(/^\P{L}+|\P{L}+$/gu, '')
    return commonWords.has(text) || (commonWords.has(word) && text.length - word.length <= maxDecoration)
  })
}

/** Up to this many digits and signs around a common word do not make it strong: `password2026!` counts as `password`. */
const maxDecoration = 6

/** Splits a text into runs of letters and runs of other characters. */
const piecesOf = (text: string): string[] => (runs.some((run) => run.includes(text)) ? [text] : text.match(/\p{L}+|\P{L}+/gu)) ?? []

const leet: Record<string, string> = { '@': 'a', '4': 'a', '3': 'e', '1': 'i', '!': 'i', '0': 'o', $: 's', '5': 's', '7': 't' }
const unleet = (text: string): string => text.replace(/(?<=.*\p{L}.*)[@431!0$57](?=.*\p{L})/gu, (sign) => leet[sign] ?? sign)

/** Returns true for seasons, months and weekdays with any digits and signs: `Sommer2026!`, `Winter-2025`. */
function isCalendarPhrase(text: string): boolean {
  const words = text.match(/\p{L}+/gu) ?? []
  return words.length > 0 && words.every((word) => calendarWords.has(word))
}

/** Returns what a guesser knows about the person, as whole texts and as single words, in lower case. */
export function knownWords({ email, name = '', schoolName = '' }: PasswordContext): string[] {
  const address = email.toLowerCase()
  const [local = '', host = ''] = address.split('@')
  const names = [name, schoolName].map((text) => text.slice(0, maxNameCharacters).normalize('NFKC').toLowerCase())
  const words = [
    address,
    local,
    host,
    ...local.split(/[._+-]/),
    ...host.split('.'),
    ...names,
    ...names.flatMap((text) => text.split(/\s+/)),
  ]
  return [...new Set(words)].filter((word) => lettersOf(word).length >= 4)
}

const maxNameCharacters = 500

/** Returns true if fewer than five characters remain after the parts of the address and of the names are removed. */
function isCloseTo(plain: string, context: PasswordContext): boolean {
  const letters = lettersOf(plain)
  const words = knownWords(context)
    .map(lettersOf)
    .filter((word) => letters.includes(word))
    .toSorted((a, b) => b.length - a.length)
  return words.length > 0 && words.reduce((left, word) => left.replaceAll(word, ''), letters).length < 5
}

const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '')
