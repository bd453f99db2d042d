import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { plainText } from '../../src/pages/plainText.ts'

const graphemes = (text: string): number => [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)].length

describe('texts of strangers', () => {
  for (const [what, given, shown] of [
    ['an honest name', 'Claude Code', 'Claude Code'],
    ['other scripts', 'アプリ Приложение', 'アプリ Приложение'],
    ['right-to-left letters', 'תוכנה', 'תוכנה'],
    ['a right-to-left override', 'evil\u202Eedoc', 'eviledoc'],
    ['isolates', '\u2066a\u2069\u2067b', 'ab'],
    ['zero width', 'Cl\u200Ba\u200Du\uFEFFd\u2060e\u00AD', 'Clau de'],
    ['characters that render as nothing', '\u3164\u115Fa\u034F\u{E0041}', 'a'],
    ['lines', 'Claude\r\nverified\u2028by\u0085us', 'Claude verified byus'],
    ['our own quotation marks', 'Claude», verified by the school. «', "Claude', verified by the school. '"],
    ['the quotation marks of English and German', 'Claude”, “verified„', "Claude', 'verified'"],
    ['a control character', 'a\u0000\u001b[31mb', 'a[31mb'],
    ['half a character', 'a\ud83d', 'a'],
    ['a value that is not text', { toString: () => 'x' }, ''],
    ['nothing', undefined, ''],
  ] as const) {
    test(`${what} is shown plainly`, () => {
      expect(plainText(given, 60)).toBe(shown)
    })
  }

  test('a long name is cut, between characters as people count them', () => {
    expect(plainText('x'.repeat(5000), 60)).toBe(`${'x'.repeat(60)}…`)
    expect(plainText('👍🏽'.repeat(70), 60)).toBe(`${'👍🏽'.repeat(60)}…`)
  })

  test('marks cannot pile up over the lines around', () => {
    expect(plainText(`Z${'\u0335'.repeat(500)}`, 60).length).toBeLessThanOrEqual(8)
  })

  test('whatever comes in: bounded, on one line, nothing invisible', () => {
    const text = fc.string({ unit: 'binary', maxLength: 300 })
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 80 }), (given, limit) => {
        const shown = plainText(given, limit)
        expect(graphemes(shown)).toBeLessThanOrEqual(limit + 1)
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}«»‹›“”„‟\n]/u)
        expect(shown).toBe(shown.trim())
      }),
    )
  })
})
