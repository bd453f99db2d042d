import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { toPublicId } from '../../../src/base/ids.ts'
import type { Operation } from '../../../src/engine/declare/operations.ts'
import type { Resource } from '../../../src/engine/declare/resource.ts'
import { operationsIn, resources, scopeCatalogue } from '../../../src/school/index.ts'
import { startDemoApi } from '../../school/demoApi.ts'
import { openTestDatabase } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { dereferenced, openApiDocument } from '../../support/openApi.ts'

type Json = Record<string, unknown>
interface Listed {
  data: { id: string; slug?: string }[]
  page: { next_cursor: string | null }
}

const operations = operationsIn(resources)
const facts = { issuer: 'https://school.example', name: 'First', contactEmail: null, supportUrl: null }
const document = dereferenced(openApiDocument({ operations, scopes: scopeCatalogue(resources) }, facts)) as Json & {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, { content?: Record<string, { schema: Json }> }> }>>
}
const described = Object.values(document.paths).flatMap((methods) => Object.values(methods))
const ajv = new Ajv({ strict: false, validateFormats: true })
addFormats.default(ajv)
ajv.addSchema(document, 'document')

function validatorOf({ id }: Operation) {
  const schema = described.find(({ operationId }) => operationId === id)?.responses['200']?.content?.['application/json']?.schema
  return ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')))
}

const lists = operations.filter(({ kind }) => kind === 'list')
const everybody = ['owner@example.com', 'lecturer1@example.com', 'learner001@example.org', undefined]

describe('every list of the whole demo school', () => {
  const api = duringTests(async () =>
    startDemoApi(await openTestDatabase(), operations, undefined, {
      isWhole: true,
    }),
  )

  /** Returns a row of a table without a list. */
  async function firstOf({ table, idPrefix }: Resource): Promise<string> {
    const [row] = await api.database.sql.query<{ id: string }>(`SELECT id FROM "${table}" WHERE school_id = $1 ORDER BY id LIMIT 1`, [
      api.school.id,
    ])
    return toPublicId(idPrefix, row?.id as string)
  }

  /** Returns the path of a list: below the first row of its parent, and of a course if the parent must belong to one. */
  async function addressOf(list: Operation): Promise<string> {
    const [course] = await api.database.sql.query<{ id: string }>(
      `SELECT id FROM course WHERE school_id = $1 AND slug = 'clay-from-scratch'`,
      [api.school.id],
    )
    const parent = 'parent' in list ? list.parent : undefined
    const above = parent && lists.find((one) => one.resource === parent.resource && !('parent' in one && one.parent))
    const [listed] = above ? ((await api.get(`${above.path}?limit=1`, { as: everybody[0] })).json as unknown as Listed).data : []
    const owner = listed?.id ?? (parent && (await firstOf(parent.resource)))
    const isOfCourse = list.parameters.some(({ name, isRequired }) => name === 'course' && isRequired)
    const query = isOfCourse ? `&course_id=${toPublicId('crs', course?.id as string)}` : ''
    return `${list.path.replace(/\{\w+\}/, owner ?? '')}?limit=100${query}`
  }

  test.each(lists.map((list) => [list.id, list] as const))(
    '%s is what its schema says, page by page, for everybody who may ask',
    async (_id, list) => {
      const isValid = validatorOf(list)
      const address = await addressOf(list)
      for (const as of everybody) {
        let cursor: string | null = ''
        for (let page = 0; cursor !== null && page < 12; page += 1) {
          const reply = await api.get(`${address}${cursor && `&cursor=${cursor}`}`, { as })
          expect([address, as, reply.status < 500, reply.status]).toEqual([address, as, true, reply.status])
          if (as === everybody[0]) expect([address, reply.status, reply.status === 200 ? '' : reply.text]).toEqual([address, 200, ''])
          if (reply.status !== 200) break
          expect([address, as, isValid(reply.json), isValid.errors]).toEqual([address, as, true, null])
          cursor = (reply.json as unknown as Listed).page.next_cursor
        }
      }
    },
  )

  const gets = operations.filter(({ kind, path }) => kind === 'get' && (path.match(/\{/g) ?? []).length === 1)
  test.each(gets.map((get) => [get.id, get] as const))('%s is what its schema says', async (_id, get) => {
    const list = lists.find((one) => one.resource === get.resource && !('parent' in one && one.parent))
    // Without a storage there are no files.
    if (!list || get.id === 'getFile') return
    const isValid = validatorOf(get)
    const rows = ((await api.get(await addressOf(list), { as: everybody[0] })).json as unknown as Listed).data
    expect(rows.length).toBeGreaterThan(0)
    for (const { id } of rows.slice(0, 8)) {
      for (const as of everybody) {
        const address = `${get.path.replace(/\{\w+\}/, id)}`
        const reply = await api.get(address, { as })
        if (as === everybody[0]) expect([address, reply.status]).toEqual([address, 200])
        if (reply.status === 200) expect([address, as, isValid(reply.json), isValid.errors]).toEqual([address, as, true, null])
        else expect(reply.status).toBeLessThan(500)
      }
    }
  })

  test('the export of a person is what its schema says', async () => {
    const operation = operations.find(({ id }) => id === 'exportAccount') as Operation
    const isValid = validatorOf(operation)
    await api.database.sql.query(
      `INSERT INTO person_activity_day (school_id, day, course_id, person_id)
       SELECT school_id, '2026-03-01', (SELECT id FROM course WHERE course.school_id = person.school_id LIMIT 1), id
       FROM person WHERE email = 'learner001@example.org'`,
    )
    for (const as of everybody.filter((one) => one !== undefined)) {
      const { status, json } = await api.get(operation.path, { as })
      expect([as, status, isValid(json), isValid.errors]).toEqual([as, 200, true, null])
      if (as.startsWith('learner')) expect(json).toMatchObject({ activity_days: [{ day: '2026-03-01' }] })
    }
  })
})
