import { beforeAll, expect, test } from 'vitest'
import { createSubjects, type Subjects } from './derived/createSubjects.ts'
import { actor, everyWrite } from './derived/everyWrite.ts'
import { describeDemoOn } from './describeDemo.ts'

const bulkOperations = everyWrite.flatMap((operation) =>
  operation.kind === 'collection' && operation.rules.checksEach !== undefined
    ? [{ id: operation.id, operation, list: operation.rules.checksEach }]
    : [],
)

const wrongItems: [string, unknown][] = [
  ['a number', 5],
  ['null', null],
  ['a list', []],
  ['a text', 'no such thing'],
  ['an empty object', {}],
  ['an unknown member', { no_such_field: 1 }],
  ['numbers instead of texts', { email: 5, student_email: 5, external_id: {} }],
  ['an invalid address', { email: 'no address', student_email: 'no address' }],
  ['a text that no database can store', { email: 'a\u0000@example.org', student_email: '\ud800', name: '\ud800' }],
]

describeDemoOn('last', 'bulk operations, on $name', (api) => {
  let subjects: Subjects
  beforeAll(() => {
    subjects = createSubjects(api)
  })

  test('are those that answer 207', () => {
    expect(everyWrite.filter(({ successStatus }) => successStatus === 207).map(({ id }) => id)).toEqual(bulkOperations.map(({ id }) => id))
  })

  test.each(bulkOperations)(
    '$id writes the good items and reports the wrong one, whatever is wrong with it',
    async ({ operation, list }) => {
      for (const [what, wrong] of wrongItems) {
        const sending = await subjects.sendingFor(operation, '')
        const { [list]: good, ...options } = Object(sending.body)
        const [item] = good as unknown[]
        const send = (more: object) =>
          api.send(subjects.addressOf(operation), { as: actor, body: { ...options, ...more, [list]: [wrong, item] } })
        if (Object.hasOwn(operation.rules.input?.shape ?? {}, 'atomic')) {
          const none = await send({ atomic: true })
          expect([what, none.status < 500, none.status >= 400]).toEqual([what, true, true])
          expect(JSON.stringify(none.json.details)).toMatch(/"items\.0/)
        }
        const reply = await send({})
        expect([what, reply.status, reply.json.error_description]).toEqual([what, 207, undefined])
        const [first, second] = reply.json.results as { index: number; status: number; error?: { error_description: string } }[]
        expect([what, first?.index, (first?.status ?? 0) >= 400, (first?.status ?? 0) < 500]).toEqual([what, 0, true, true])
        expect([what, first?.error?.error_description]).toEqual([what, expect.stringMatching(/\w+ .*\w/)])
        expect([what, second]).toMatchObject([what, { index: 1, status: expect.toBeOneOf([200, 201]) }])
      }
    },
  )

  test.each(bulkOperations)('$id refuses no items, too many of them, and what is not a list', async ({ operation, list }) => {
    for (const items of [[], Array(101).fill({}), 'text', { 0: {} }, undefined]) {
      const reply = await api.send(subjects.addressOf(operation), { as: actor, body: { [list]: items } })
      expect([reply.status, reply.json.error]).toEqual([422, 'validation_failed'])
      expect(reply.json.error_description).toContain(list)
    }
  })
})
