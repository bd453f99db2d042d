import { inEveryLanguage, type Language } from '../../base/text/languages.ts'
import { numberText } from '../../base/text/readerFormats.ts'
import { quietDays, type SignalKind } from '../../database/tables/signals.ts'

interface Counts {
  counted: number
  threshold: number
}

const usual = ({ counted, threshold }: Counts): Record<Language, string> =>
  inEveryLanguage((locale) => {
    const most = locale.startsWith('de') ? 'üblich: höchstens' : 'usual: at most'
    return `${numberText(counted, locale)} (${most} ${numberText(threshold, locale)})`
  })

const sentences: Record<SignalKind, (counts: Counts) => Record<Language, string>> = {
  deletions: (counts) => {
    const { en, de } = usual(counts)
    return { en: `Deleted within an hour: ${en}`, de: `In einer Stunde gelöscht: ${de}` }
  },
  overwrites: (counts) => {
    const { en, de } = usual(counts)
    return { en: `Overwritten within an hour: ${en}`, de: `In einer Stunde überschrieben: ${de}` }
  },
  people_rows: (counts) => {
    const { en, de } = usual(counts)
    return { en: `Rows about people, read on one day: ${en}`, de: `An einem Tag gelesene Zeilen über Personen: ${de}` }
  },
  refused: (counts) => {
    const { en, de } = usual(counts)
    return { en: `Refused calls within an hour: ${en}`, de: `In einer Stunde abgelehnte Aufrufe: ${de}` }
  },
  new_permission: ({ counted }) => ({
    en: `Permissions to change things, used for the first time in ${quietDays} days: ${counted}`,
    de: `Berechtigungen zum Ändern, zum ersten Mal seit ${quietDays} Tagen genutzt: ${counted}`,
  }),
  reused_token: ({ counted }) => ({
    en: `Codes or tokens that were presented again: ${counted}. Their access has ended.`,
    de: `Erneut vorgelegte Codes oder Tokens: ${counted}. Ihr Zugriff ist beendet.`,
  }),
  asked: () => ({
    en: 'Somebody wants to use this app and needs the agreement of an owner.',
    de: 'Jemand möchte diese App nutzen und braucht die Zustimmung einer Inhaberin oder eines Inhabers.',
  }),
}

/** Says what an app did that is unusual, with the numbers. */
export const signalSentence = ({ kind, ...counts }: Counts & { kind: SignalKind }): Record<Language, string> => sentences[kind](counts)
