import { describe, expect, test } from 'vitest'
import { auditEvents } from '../../src/database/tables/auditEvents.ts'
import { changeActionOf } from '../../src/database/tables/changeActions.ts'
import { isWrite } from '../../src/engine/write/dryRun.ts'
import { changeSentence, deedSentence } from '../../src/pages/account/changeSentence.ts'
import { createTexts, textOf } from '../../src/pages/texts.ts'
import type { Change } from '../../src/school/account/appActivity.ts'
import { operationsIn, resources } from '../../src/school/index.ts'

const undoing: readonly string[] = ['undoActivity', 'undoActivities']
/** They record nothing. */
const unrecorded: readonly string[] = ['stopEmails', 'submitProposal', 'endProposal', 'removeProposalRequest']
const operations = operationsIn(resources).filter((one) => isWrite(one) && !unrecorded.includes(one.id))
const recordedAs = { create: 'created', update: 'updated', replace: 'updated', remove: 'deleted' } as const

describe.each(['en', 'de'] as const)('the change of an app in %s', (language) => {
  const texts = createTexts(language)
  const changeOf = (
    { id, kind, resource, ...operation }: Pick<(typeof operations)[number], 'id' | 'kind' | 'resource'> & { name?: string },
    { label = null, count = 1 }: { label?: string | null; count?: number } = {},
  ): Change => {
    const verb = kind === 'action' || kind === 'collection' ? operation.name : recordedAs[kind as keyof typeof recordedAs]
    return {
      operation: id,
      action: undoing.includes(id) ? 'undone' : changeActionOf(verb ?? ''),
      resource: { type: resource.object, id: null, label, ids: [] },
      count,
      reason: null,
      undone: [],
    }
  }
  const sentence = (...args: Parameters<typeof changeOf>) => textOf(changeSentence(texts, changeOf(...args)))

  test('has three moods for every operation that writes: a question, what was done, and that it was taken back', () => {
    const wrong = operations.flatMap((operation) => {
      const change = changeOf(operation, { label: 'Kit' })
      const question = texts.text('approval.question', { deed: textOf(deedSentence(texts, change)) })
      const [done, back, again] = [undefined, false, true].map((isAgain) =>
        textOf(changeSentence(texts, { ...change, ...(isAgain !== undefined && { reverses: { ...change, isAgain } }) })),
      )
      const [words, verb] = language === 'en' ? ['Taken back: ', /^(?!\w+ed )\w+ .*\?$/] : ['Zurückgenommen: ', /n(: [^:]+)?\?$/]
      const isRight =
        verb.test(question) &&
        (question !== `${done}?` || question.startsWith('Reset ')) &&
        back === `${words}${done}` &&
        again !== back &&
        again?.endsWith(`${done}`)
      return isRight ? [] : [[operation.id, question, done, back, again]]
    })
    expect(wrong).toEqual([])
    const erase = operations.find(({ id }) => id === 'eraseStudent')
    if (!erase) throw new Error('eraseStudent is gone')
    expect(texts.text('approval.question', { deed: textOf(deedSentence(texts, changeOf(erase, { label: 'Kit' }))) })).toBe(
      { en: 'Erase the student “Kit”?', de: 'Teilnehmende Person „Kit“ endgültig löschen?' }[language],
    )
  })

  test('is a sentence for every operation that writes', () => {
    const wrong = operations.flatMap((operation) => {
      const sentences = [sentence(operation), sentence(operation, { count: 3 }), sentence(operation, { label: 'Kiln' })]
      const isReadable = sentences.every((one) => /^(\p{Lu}|\d)/u.test(one) && !/[_{}]|undefined/.test(one) && !one.includes(operation.id))
      // Only objects of a type that the texts do not know are called objects.
      const isNamed = !/\b(object|Objekt)\b/.test(sentences.join(' '))
      return isReadable && isNamed ? [] : [`${operation.id}: ${sentences.join(' | ')}`]
    })
    expect(wrong).toEqual([])
  })

  test('says more than that something was changed, unless fields were', () => {
    const changed = (operation: (typeof operations)[number]) =>
      sentence({ ...operation, id: 'another', kind: 'update' } as typeof operation)
    const generic = operations.filter((one) => one.kind !== 'update' && one.kind !== 'replace' && sentence(one) === changed(one))
    expect(generic.map(({ id }) => id)).toEqual([])
  })

  test('and every event of the audit trail has a sentence', () => {
    const named = Object.keys(auditEvents)
    expect(named.filter((event) => !/^\p{Lu}.*\.$/u.test(texts.eventSentence(event) ?? ''))).toEqual([])
  })
})
