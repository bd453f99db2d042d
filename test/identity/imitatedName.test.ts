// Proves UTS #39 section 4: The page warns about names that look like a protected name, including confusable letters

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { skeleton } from '../../src/base/text/skeleton.ts'
import { claimedRole, imitatedName } from '../../src/identity/clients/imitatedName.ts'

const names = ['Claude', 'Lanternfield', 'Art', '本校']

describe('skeletons (UTS #39 section 4)', () => {
  test.each([
    ['раураl', 'paypal'],
    ['ℓ1I|', 'llll'],
    ['modern', 'rnodern'],
    ['Ꮯlaude', 'Claude'],
    ['ﬁ', 'fi'],
  ])('%s and %s look alike', (one, other) => {
    expect(skeleton(one)).toBe(skeleton(other))
  })

  test('how a text is composed, and what is invisible in it, counts for nothing', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.constantFrom('\u200B', '\u2060', '\u00AD', '\uFE0F'),
        (text, nothing) => {
          expect(skeleton(text.normalize('NFC'))).toBe(skeleton(text.normalize('NFD')))
          expect(skeleton(nothing + text + nothing)).toBe(skeleton(text))
        },
      ),
      { numRuns: 500 },
    )
  })
})

describe('a name looks like a protected one', () => {
  test.each([
    ['exactly the name', 'Claude'],
    ['another case', 'cLAUDE'],
    ['a Cyrillic letter', 'Сlaude'],
    ['all Cyrillic and Greek', 'СӀаυԁе'],
    ['full width', 'Ｃｌａｕｄｅ'],
    ['mathematical letters', '𝕮𝖑𝖆𝖚𝖉𝖊'],
    ['letters in circles', 'Ⓒⓛⓐⓤⓓⓔ'],
    ['zero width', 'Cl\u200Bau\u200Dde\uFEFF'],
    ['spaces between', 'C l a u d e'],
    ['thin spaces and signs between', 'C\u2009l-a_u.d·e ™'],
    ['combining marks', 'C\u0301l\u0336a\u0308ude\u0335'],
    ['letters with marks', 'Čláùdé'],
    ['a capital I for an l', 'CIaude'],
    ['a one for an l', 'C1aude'],
    ['an override inside', 'Cl\u202Dau\u202Cde'],
    ['written backwards under an override', '\u202Eedualc'],
    ['more words', 'Claude Code (official)'],
    ['grown together', 'TheClaudeApp'],
  ])('with %s', (_what, name) => {
    expect(imitatedName(name, names)).toBe('Claude')
  })

  test.each([
    ['rn for m', 'Lantemfield', 'Lanternfield'],
    ['capitals, i and l mixed', 'LANTERNFlELD', 'Lanternfield'],
    ['a zero for an o', 'Sch00l', 'School'],
    ['a short name as a word', 'Art & Craft', 'Art'],
    ['another script', '本校', '本校'],
  ])('with %s', (_what, name, expected) => {
    expect(imitatedName(name, [...names, 'School'])).toBe(expected)
  })

  test.each(['Claudia', 'Cloud', 'Smart Cart', 'Course Companion', 'Лампа', '', '   ', '***', 'edualc'])('and %j does not', (name) => {
    expect(imitatedName(name, names)).toBeUndefined()
  })

  test.each([
    ['LF School of Making', true],
    ['The School of Making helper', true],
    ['School of Rock', false],
    ['Making plans', false],
  ])('three words of a protected name in their order: %s', (name, isImitation) => {
    expect(imitatedName(name, ['Lanternfield School of Making'])).toBe(isImitation ? 'Lanternfield School of Making' : undefined)
  })

  test('leetspeak is spelling and not looks: it is left alone', () => {
    expect(imitatedName('Cl4ud3', names)).toBeUndefined()
  })

  test('a value that is not text imitates no name', () => {
    for (const name of [undefined, null, 5, {}, ['Claude']]) expect(imitatedName(name, names)).toBeUndefined()
  })

  test('whatever is put between and around the letters, it is seen', () => {
    const noise = fc.constantFrom('', ' ', '\u200B', '\u2060', '\u0301', '-', '\u00AD', '\u034F', '\u2003', '.')
    const emails: [string, ...string[]][] = [
      ['C', 'С', 'ϲ', 'Ｃ', 'c'],
      ['l', 'I', '1', 'ӏ', 'ｌ'],
      ['a', 'а', 'ɑ', 'A', 'á'],
      ['u', 'υ', 'U', 'ü'],
      ['d', 'ԁ', 'D'],
      ['e', 'е', 'E', 'é'],
    ]
    const name = fc.tuple(...emails.flatMap((some) => [fc.constantFrom(...some), noise])).map((parts) => parts.join(''))
    fc.assert(
      fc.property(name, (text) => {
        expect(imitatedName(text, names)).toBe('Claude')
      }),
    )
  })

  test('names of any shape and length are answered', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), fc.string({ unit: 'binary', maxLength: 80 }), (name, other) => {
        expect([undefined, other]).toContain(imitatedName(name, [other]))
      }),
    )
  })
})

describe('a name that claims to speak for the school', () => {
  test.each([
    ['Official School App', 'Official'],
    ['School admin', 'admin'],
    ['School аdmin', 'аdmin'],
    ['IT-Support', 'Support'],
    ['Schulleitung 2', 'Schulleitung'],
    ['Schoolgate', 'Schoolgate'],
    ['My Sch00lgate', 'Schoolgate'],
  ])('%s contains %s', (name, word) => {
    expect(claimedRole(name)).toBe(word)
  })

  test.each(['Course Companion', 'Adminton', 'Supportive Reader', 'Claude Code', '', undefined, 5])('%j does not', (name) => {
    expect(claimedRole(name)).toBeUndefined()
  })
})
