import en from '../../views/locales/en.json' with { type: 'json' }

/** The name of a text. A misspelt one does not compile. */
export type TextKey = keyof typeof en

/** A stretch of a sentence. What came from outside is isolated, so that its writing direction stays its own. */
export interface TextPart {
  text: string
  isolated: boolean
}

/** The words of one language. */
export interface Texts {
  language: string
  text(key: TextKey, values?: Record<string, string | number>): string
  /** The same sentence in stretches, for values that a stranger chose. */
  parts(key: TextKey, values: Record<string, string | number>): TextPart[]
  date(date: Date): string
}

const catalogues: Record<string, Record<TextKey, string>> = { en }

/** The texts of a language that has a catalogue; English otherwise. */
export function createTexts(language: string): Texts {
  const spoken = Object.hasOwn(catalogues, language) ? language : 'en'
  const catalogue = catalogues[spoken] ?? en
  const dates = new Intl.DateTimeFormat(spoken, { dateStyle: 'long', timeZone: 'UTC' })
  const parts: Texts['parts'] = (key, values) =>
    catalogue[key]
      .split(/(\{[a-z_]+\})/)
      .filter((piece) => piece !== '')
      .map((piece) => {
        const name = /^\{([a-z_]+)\}$/.exec(piece)?.[1]
        return name !== undefined && Object.hasOwn(values, name)
          ? { text: String(values[name]), isolated: true }
          : { text: piece, isolated: false }
      })
  return {
    language: spoken,
    text: (key, values = {}) =>
      parts(key, values)
        .map(({ text }) => text)
        .join(''),
    parts,
    date: (date) => dates.format(date),
  }
}
