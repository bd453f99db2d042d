import { commonWords } from './commonWords.ts'
import { isTooLong } from './password.ts'

/** NIST SP 800-63B section 5.1.1.2: a length, and nothing about kinds of characters. */
export const minPasswordCharacters = 8

/** What people are advised to. */
export const advisedPasswordCharacters = 15

/** Why a new password is not taken. */
export type PasswordIssue = 'too_short' | 'too_long' | 'not_typed' | 'too_common' | 'too_close'

/** What a guesser knows of the person. */
export interface PasswordContext {
  email: string
  schoolName?: string
}

/** Judges a new password by its length, by what guessers try first, and by what they know of the person; undefined where it is taken. */
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
  // One short piece, or one common word, again and again.
  const piece = /^(.+?)\1+$/su.exec(plain)?.[1]
  if (piece !== undefined && (piece.length <= 5 || commonWords.has(piece))) return true
  const [start = '', ...rest] = piecesOf(plain)
  // Nothing but runs along a keyboard or an alphabet: 12345678, qwerty123.
  if ([start, ...rest].every((piece) => piece.length >= 3 && runs.some((run) => run.includes(piece)))) return true
  return [plain, unleet(plain)].some((text) => {
    const word = text.replace(/^\P{L}+|\P{L}+$/gu, '')
    return commonWords.has(text) || (commonWords.has(word) && text.length - word.length <= maxDecoration)
  })
}

/** `password2026!` is `password`: so many digits and signs around a word hide it from nobody. */
const maxDecoration = 6

/** Letters and the rest apart. */
const piecesOf = (text: string): string[] => (runs.some((run) => run.includes(text)) ? [text] : text.match(/\p{L}+|\P{L}+/gu)) ?? []

const leet: Record<string, string> = { '@': 'a', '4': 'a', '3': 'e', '1': 'i', '!': 'i', '0': 'o', $: 's', '5': 's', '7': 't' }
const unleet = (text: string): string => text.replace(/(?<=.*\p{L}.*)[@431!0$57](?=.*\p{L})/gu, (sign) => leet[sign] ?? sign)

/** The address, the school's name or a part of them, with hardly anything around it. */
function isCloseTo(plain: string, { email, schoolName = '' }: PasswordContext): boolean {
  const emailTemplates = lettersOf(plain)
  const [local = '', host = ''] = email.toLowerCase().split('@')
  const name = schoolName.normalize('NFKC').toLowerCase()
  const known = [email, local, host, ...local.split(/[._+-]/), ...host.split('.'), name, ...name.split(/\s+/)].map(lettersOf)
  const words = known.filter((word) => word.length >= 4 && emailTemplates.includes(word)).toSorted((a, b) => b.length - a.length)
  return words.length > 0 && words.reduce((left, word) => left.replaceAll(word, ''), emailTemplates).length < 5
}

const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '')
