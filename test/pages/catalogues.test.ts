// Proves OpenID Connect Core section 3.1.2.1: Every text exists in English and German; the language follows the person's choice, `ui_locales` and the browser

import { describe, expect, test } from 'vitest'
import { languages } from '../../src/base/text/languages.ts'
import { auditEvents } from '../../src/database/tables/auditEvents.ts'
import { nearestSentence, readers } from '../../src/engine/declare/permissionSentences.ts'
import { createTexts } from '../../src/pages/texts.ts'
import { resources, scopeCatalogue } from '../../src/school/index.ts'
import eventTexts from '../../views/locales/de.audit.json' with { type: 'json' }
import informal from '../../views/locales/de.informal.json' with { type: 'json' }
import informalScopes from '../../views/locales/de.informal.scopes.json' with { type: 'json' }
import de from '../../views/locales/de.json' with { type: 'json' }
import scopeTexts from '../../views/locales/de.scopes.json' with { type: 'json' }
import en from '../../views/locales/en.json' with { type: 'json' }

const places = (text: string): string[] => [...text.matchAll(/\{[a-z_]+\}/g)].map(([place]) => place).toSorted()
const scopes = scopeCatalogue(resources)

describe('the catalogues', () => {
  test('have the same texts, in the same order', () => {
    expect(Object.keys(de)).toEqual(Object.keys(en))
  })

  test('leave the same places to fill in every text', () => {
    const placesOf = (texts: Record<string, string>) => Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, places(text)]))
    expect(placesOf(de)).toEqual(placesOf(en))
  })

  test('have no empty text and no untranslated sentence', () => {
    for (const [key, text] of Object.entries(de)) {
      expect([key, text.trim()]).toEqual([key, text])
      expect([key, text]).not.toEqual([key, ''])
      if (/\p{L}/u.test(text.replace(/\{[a-z_]+\}/g, ''))) expect([key, text]).not.toEqual([key, en[key as keyof typeof en]])
    }
  })

  test('write e-mail in one way each, and address people as Sie', () => {
    for (const [key, text] of Object.entries(en)) expect([key, text.match(/(?<!\{)\bemails?\b/i)]).toEqual([key, null])
    for (const [key, text] of Object.entries(de))
      expect([key, text.match(/(?<!\{)\b(email|(?<!E-)mail|du|deine?|dich|dir)\b/i)]).toEqual([key, null])
  })

  test('address people as du where the school chooses it, in exactly the texts that address them', () => {
    // These texts are about apps, people and changes.
    const aboutOthers = [
      'consent.origin_self',
      'error.interaction_expired.explanation',
      'apps_guide.operator',
      'school.people_introduction',
      'school.end_access_explanation',
      'school.enable_explanation',
    ]
    const formal = /(?<!: |[.] |^)\b(Sie|Ihnen|Ihr(e[mnrs]?)?)\b/
    const addressing = Object.entries(de).filter(([, text]) => /\b(Sie|Ihnen|Ihr(e[mnrs]?)?)\b/.test(text))
    const keys = addressing.map(([key]) => key).filter((key) => !aboutOthers.includes(key))
    expect(keys.filter((key) => !Object.hasOwn(informal, key))).toEqual([])
    for (const [key, text] of Object.entries(informal)) {
      expect([key, places(text)]).toEqual([key, places(de[key as keyof typeof informal])])
      expect([key, text]).not.toEqual([key, de[key as keyof typeof informal]])
      expect([key, text.match(formal)?.[0]]).toEqual([key, undefined])
    }
    expect(JSON.stringify(informalScopes)).not.toMatch(/\b(Sie|Ihnen|Ihr(e[mnrs]?)?)\b/)
    for (const scope of scopes)
      for (const reader of readers) expect(createTexts('de', true).sentence(scope, reader)).not.toMatch(/\b(Ihre?[mnrs]?|Ihnen|Sie)\b/)
    expect(createTexts('de', true).text('signed_out.heading')).toBe('Du bist abgemeldet')
    expect(createTexts('de').text('signed_out.heading')).toBe('Sie sind abgemeldet')
    expect(createTexts('en', true).text('signed_out.heading')).toBe(en['signed_out.heading'])
  })

  test('use the form that fits the number', () => {
    const output = (language: 'en' | 'de') => {
      const texts = createTexts(language)
      return [1, 2].flatMap((count) => {
        const before = texts.counted('consent.before', count)
        return [before, texts.counted('consent.before_writes', count, { before })]
      })
    }
    expect(output('en')).toEqual([
      'You already allowed 1 permission',
      'You already allowed 1 permission, including 1 that lets the app make changes',
      'You already allowed 2 permissions',
      'You already allowed 2 permissions, including 2 that let the app make changes',
    ])
    expect(output('de')).toEqual([
      'Sie haben bereits 1 Berechtigung erteilt',
      'Sie haben bereits 1 Berechtigung erteilt, darunter 1, mit der die App etwas ändern kann',
      'Sie haben bereits 2 Berechtigungen erteilt',
      'Sie haben bereits 2 Berechtigungen erteilt, darunter 2, mit denen die App etwas ändern kann',
    ])
  })

  test('have the German text of every scope and area, and no others', () => {
    expect(Object.keys(scopeTexts.sentences).toSorted()).toEqual(scopes.map(({ name }) => name).toSorted())
    expect(Object.keys(scopeTexts.areas).toSorted()).toEqual([...new Set(scopes.map(({ area }) => area))].toSorted())
    expect(JSON.stringify(scopeTexts)).not.toContain('""')
  })

  test('say for every role what a scope permits, in the language of the page; English is what the resource declares', () => {
    for (const scope of scopes)
      for (const reader of readers) {
        const [english, german] = languages.map((language) => createTexts(language).sentence(scope, reader))
        expect(english).toBe(nearestSentence(scope.sentences, reader))
        expect([scope.name, german]).not.toEqual([scope.name, english])
      }
  })

  test('have the sentence of every event of the audit trail, and no others', () => {
    expect(Object.keys(eventTexts).toSorted()).toEqual(Object.keys(auditEvents).toSorted())
    for (const event of Object.keys(auditEvents)) {
      const [english, german] = languages.map((language) => createTexts(language).eventSentence(event))
      expect([event, english]).toEqual([event, expect.stringMatching(/^[A-Z][^`]+\.$/)])
      expect([event, german]).toEqual([event, expect.stringMatching(/^\p{Lu}[^`]+\.$/u)])
      expect(german).not.toBe(english)
    }
    expect(createTexts('en').eventSentence('course.created')).toBeUndefined()
  })

  test('have a German sentence wherever the English one depends on the role', () => {
    for (const { name, sentences } of scopes) {
      const german: unknown = scopeTexts.sentences[name as keyof typeof scopeTexts.sentences]
      const roles = typeof german === 'string' ? ['learner'] : Object.keys(german as object)
      expect([name, roles]).toEqual([name, Object.keys(sentences)])
    }
  })

  test('answer for a scope without a sentence what the resource declares', () => {
    const made = {
      name: 'constructor',
      area: '__proto__',
      areaTitle: 'Made up',
      verb: 'read',
      sentences: { learner: 'See it' },
      othersData: [],
    } as const
    expect([createTexts('de').sentence(made, 'staff'), createTexts('de').areaTitle(made)]).toEqual(['See it', 'Made up'])
  })
})
