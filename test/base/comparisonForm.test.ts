import fc from 'fast-check'
import { expect, test } from 'vitest'
import { comparisonForm } from '../../src/base/text/comparisonForm.ts'

test.each([
  ['curly and straight quotes', 'don’t say “x”', `don't say "x"`],
  ['guillemets and straight quotes', '»Brot« ‹x›', `"Brot" 'x'`],
  ['non-breaking hyphen, dashes and hyphen', 'well‑known – yes — no − 1', 'well-known - yes - no - 1'],
  ['capitals and sharp s', 'STRASSE', 'Straße'],
  ['the capital sharp s', 'STRAẞE', 'strasse'],
  ['final sigma', 'ΟΔΟΣ', 'οδος'],
  ['Turkish capitals', 'İSTANBUL', 'istanbul'],
  ['composed and decomposed letters', 'Töpfern', 'To\u0308pfern'],
  ['no-break, doubled, leading and trailing spaces', '\u00a0blue \u2009 clay\u3000', 'blue clay'],
  ['zero-width space, soft hyphen, BOM and bidirectional marks', '\ufeffcl\u200bay\u00ad \u200fkiln\u2069', 'clay kiln'],
  ['full width', 'ＣＬＡＹ－２５', 'clay-25'],
  ['ligatures', 'ﬁnish', 'FINISH'],
  ['Hebrew quotation marks', 'צה״ל', 'צה"ל'],
])('%s make no difference', (_, one, other) => {
  expect(comparisonForm(one)).toBe(comparisonForm(other))
})

test.each([
  ['accents', 'Ol', 'Öl'],
  ['voicing marks', 'は', 'ば'],
  ['words', 'blueclay', 'blue clay'],
  ['signs', 'c++', 'c'],
  ['vowel signs', 'कि', 'की'],
])('%s make a difference', (_, one, other) => {
  expect(comparisonForm(one)).not.toBe(comparisonForm(other))
})

test('the form of a form is itself, and does not depend on the Unicode form of the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const form = comparisonForm(text)
      expect(comparisonForm(form)).toBe(form)
      expect(comparisonForm(text.normalize('NFC'))).toBe(comparisonForm(text.normalize('NFD')))
    }),
    { numRuns: 3000 },
  )
})
