/** Characters that are written from the right, by the blocks of Unicode that are reserved for them (UAX 44, DerivedBidiClass, R and AL). */
const fromRight = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/**
 * Returns a text for use inside a sentence in English or German: one that is written from the right is isolated, so that it does not
 * change the order of the words around it (UAX 9 section 2.7).
 */
export const isolate = (text: string): string => (fromRight.test(text) ? `\u2068${text}\u2069` : text)
