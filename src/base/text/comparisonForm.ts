const longest = 100_000

const hidden = /\p{Default_Ignorable_Code_Point}/gu
const apostrophes = /[\u0060\u00b4\u02b9\u02bb\u02bc\u05f3\u2018-\u201b\u2032\u2035\u2039\u203a]/g
const quotes = /[\u00ab\u00bb\u05f4\u201c-\u201f\u2033\u2036\u301d-\u301f]/g
const dashes = /[\u05be\u2010-\u2015\u2043\u2212\ufe58\ufe63\uff0d]/g

/**
 * Returns the form in which typed texts are compared: two that a person takes for the same have the same form. Unicode form, case
 * (`STRASSE` is `Straße`), spaces, curly quotes, dashes and invisible characters make no difference. Store what was typed, and compare by
 * form. `comparison_form` in the database is the same function; a text above 100,000 characters is its own form.
 */
export function comparisonForm(text: string): string {
  if (text.length > longest) return text
  const plain = text.replace(hidden, '').replace(apostrophes, "'").replace(quotes, '"').replace(dashes, '-').normalize('NFKC')
  return folded(folded(plain)).replace(/\s+/gu, ' ').trim()
}

/** Full case folding (Unicode, section 3.13). The dot of the Turkish İ and the missing one of ı make no difference. */
const folded = (text: string): string =>
  text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ').replaceAll('i\u0307', 'i').normalize('NFKC')
