import { describe, expect, test } from 'vitest'
import { auditEvents } from '../../src/database/tables/auditEvents.ts'
import { changeActionOf } from '../../src/database/tables/changeActions.ts'
import { isWrite } from '../../src/engine/write/dryRun.ts'
import { changeSentence } from '../../src/pages/account/changeSentence.ts'
import { createTexts } from '../../src/pages/texts.ts'
import { operationsIn, resources } from '../../src/school/index.ts'

/** They record the event `activity.undone` instead of a write. */
const undoing: readonly string[] = ['undoActivity', 'undoActivities']
const operations = operationsIn(resources).filter((one) => isWrite(one) && !undoing.includes(one.id))
const recordedAs = { create: 'created', update: 'updated', replace: 'updated', remove: 'deleted' } as const

describe.each(['en', 'de'] as const)('the change of an app in %s', (language) => {
  const texts = createTexts(language)
  const sentence = (
    operation: (typeof operations)[number],
    { label = null, count = 1 }: { label?: string | null; count?: number } = {},
  ) => {
    const { id, kind, resource } = operation
    const verb = kind === 'action' || kind === 'collection' ? operation.name : recordedAs[kind as keyof typeof recordedAs]
    const change = {
      operation: id,
      action: changeActionOf(verb),
      resource: { type: resource.object, id: null, label, ids: [] },
      count,
      reason: null,
      undone: [],
    }
    return changeSentence(texts, change)
      .map(({ text }) => text)
      .join('')
  }

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
