// Proves Unicode UTS 39: Slugs of titles in every script lead to their rows; a sent slug is stored in one form, without invisible characters or mixed scripts

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isSlug, normalizedSlug, slugOf } from '../../src/base/text/slugText.ts'

describe('the slug of a title', () => {
  test.each([
    ['Clay, From Scratch!', 'clay-from-scratch'],
    ['Đặng Văn Đức: học đàn', 'dang-van-duc-hoc-dan'],
    ['Iğdır ışık, İstanbul', 'igdir-isik-istanbul'],
    ['Œuvres complètes', 'oeuvres-completes'],
    ['Ísland og Þór', 'island-og-thor'],
    ['Ħal Ŋ ŧ ŀ ĸ ß', 'hal-ng-t-l-k-ss'],
    ['Łódź, Ærø', 'lodz-aero'],
    ['Русский язык: щука', 'russkiy-yazyk-shchuka'],
    ['Ђорђе Њ, Қазақ', 'djordje-nj-kazak'],
    ['Ελληνικά: ούζο και ευχαριστώ', 'ellinika-ouzo-kai-evcharisto'],
    ['C++', 'c-plus-plus'],
    ['C# for everybody', 'c-sharp-for-everybody'],
    ['Don’t col·lecció', 'dont-colleccio'],
    ['1️⃣ ＡＢＣ　ｄ', '1-abc-d'],
  ])('writes the Latin, Cyrillic and Greek letters of %s as a to z', (title, slug) => {
    expect(slugOf(title)).toBe(slug)
  })

  test.each([
    ['日本語入門 2', '日本語入門-2'],
    ['Python入門', 'python入門'],
    ['한국어 배우기', '한국어-배우기'],
    ['हिन्दी की कक्षा', 'हिन्दी-की-कक्षा'],
    ['ภาษาไทย ๑', 'ภาษาไทย-1'],
    ['דורה: שָׁלוֹם', 'דורה-שלום'],
    ['دورة العَرَبِيَّة (١): مقدمة!', 'دورة-العربية-1-مقدمة'],
  ])('keeps the letters and the necessary vowel signs of %s', (title, slug) => {
    expect(slugOf(title)).toBe(slug)
    expect(isSlug(slug)).toBe(true)
  })

  test.each([
    ['de-AT', 'Töpfern: Größe, Ärzte', 'toepfern-groesse-aerzte'],
    ['sv', 'Räksmörgås, Ö', 'raksmorgas-o'],
    ['fi', 'Pöytä', 'poyta'],
    ['da', 'Ålesund, Ærø', 'aalesund-aeroe'],
    ['nb-NO', 'Bodø på Å', 'bodoe-paa-aa'],
    ['en', 'Zürich', 'zurich'],
    ['uk', 'Голова', 'holova'],
    ['bg', 'Къща', 'kashta'],
  ])('follows the rules of the language %s', (language, title, slug) => {
    expect(slugOf(title, language)).toBe(slug)
  })

  test('is empty for a title without letters and digits', () => {
    for (const title of ['🎨🎨', '👩‍👩‍👧', '!?', '\u200b\u2060', '\u0301', '']) expect(slugOf(title)).toBe('')
  })

  test('separates scripts that look alike', () => {
    expect(slugOf('gօօgle')).toBe('g-օօ-gle')
    expect(slugOf('pаypаl')).toBe('paypal')
  })

  test('is a slug in its stored form, of at most 92 characters and 184 bytes, for every text and language', () => {
    const language = fc.constantFrom(undefined, 'de', 'nb', 'uk')
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary', maxLength: 300 })), language, (title, spoken) => {
        const slug = slugOf(title, spoken)
        if (slug === '') return
        expect(isSlug(slug)).toBe(true)
        expect(normalizedSlug(slug)).toBe(slug)
        expect(slug.length).toBeLessThanOrEqual(92)
        expect(Buffer.byteLength(slug)).toBeLessThanOrEqual(184)
      }),
      { numRuns: 2000 },
    )
    expect(slugOf('語'.repeat(300))).toBe('語'.repeat(61))
  })
})

describe('a slug that a caller sends', () => {
  test.each([
    ['Clay-From-Scratch', 'clay-from-scratch'],
    ['Süd-Мир', 'sud-mir'],
    ['ﾆﾎﾝ', 'ニホン'],
    ['が'.normalize('NFD'), 'が'],
    ['العَرَبِيَّة', 'العربية'],
  ])('%s is stored in one form', (sent, stored) => {
    expect(normalizedSlug(sent)).toBe(stored)
    expect(isSlug(stored)).toBe(true)
  })

  test.each(['a--b', '-a', 'a_b', 'a b', 'a/b', 'gօօgle', 'a\u200bb', 'a\u202eb', '🎨', '\u0301', ''])('%j is not a slug', (sent) => {
    expect(isSlug(normalizedSlug(sent))).toBe(false)
  })
})
