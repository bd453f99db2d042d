import { z } from 'zod'
import { comparisonForm } from '../../base/text/comparisonForm.ts'
import { languageTagOf } from '../../base/text/languages.ts'
import { timeZoneOf } from '../../base/timeZone.ts'

/** Schema of a language as a BCP 47 tag, stored in its canonical form. */
export const languageTag = (): z.ZodString => known(languageTagOf, 'must be a BCP 47 tag such as en or de-AT.').max(35)

/** Schema of a time zone of the IANA database, stored under the name that the runtime uses. */
export const timeZone = (): z.ZodString => known(timeZoneOf, 'must be an IANA name such as Europe/Berlin.').max(60)

/** Names with spaces around them are longer than stored ones. */
const longestTyped = 200

function known(read: (typed: string) => string | undefined, rule: string): z.ZodString {
  const stored = (typed: string): string | undefined => (typed.length > longestTyped ? undefined : read(typed))
  return z
    .string()
    .refine((typed) => stored(typed) !== undefined, { error: rule, params: { code: 'not_allowed' } })
    .overwrite((typed) => stored(typed) ?? typed)
}

/** Schema of a code that people type, stored in capitals. Spaces around it, dashes and other spellings make no difference. */
export const typedCode = (): z.ZodString =>
  z.string().overwrite((typed) => (typed.length > longestTyped ? typed : comparisonForm(typed).toUpperCase()))
