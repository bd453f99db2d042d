import { beforeAll, describe, expect, test } from 'vitest'
import { toPublicId } from '../../src/base/ids.ts'
import type { Operation } from '../../src/engine/declare/operations.ts'
import type { Reader } from '../../src/engine/declare/permissionSentences.ts'
import { operationsIn, resources, scopeCatalogue } from '../../src/school/index.ts'
import { allScopes, startDemoApi } from '../school/demoApi.ts'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'

const people: readonly { reader: Reader; email: string }[] = [
  { reader: 'learner', email: 'learner001@example.org' },
  { reader: 'lecturer', email: 'lecturer1@example.com' },
  { reader: 'staff', email: 'owner@example.com' },
]
/** Somebody without a part in the school: what they see of others is open to everybody. */
const stranger = 'learner004@example.org'
const reads = operationsIn(resources).filter(({ method }) => method === 'GET')
const scopes = scopeCatalogue(resources).filter(({ verb }) => verb === 'read')
/** How many rows of each resource are requested one by one. */
const rows = 40

describe.each((await databasesToTest()).slice(0, 1))('scopes that show personal data of other people, on $name', ({ open }) => {
  const api = duringTests(async () => startDemoApi(await open(), undefined, undefined, { isWhole: true }))
  let ids: Map<string, string[]>
  /** Names, addresses and ids of people that are not open to everybody, by the address of the person. */
  let personal: Map<string, readonly string[]>

  beforeAll(async () => {
    const { sql } = api.database
    ids = new Map()
    for (const { resource } of reads) {
      if (resource.isSingleton || ids.has(resource.name)) continue
      const found = await sql.query<{ id: string }>(`SELECT id FROM "${resource.table}" WHERE school_id = $1 ORDER BY id LIMIT ${rows}`, [
        api.school.id,
      ])
      const publicIds = found.map(({ id }) => toPublicId(resource.idPrefix, id))
      ids.set(resource.name, publicIds)
    }
    const persons = await sql.query<{ id: string; name: string; email: string | null }>(
      'SELECT id, name, email FROM person WHERE school_id = $1',
      [api.school.id],
    )
    const seenByAll = (await Array.fromAsync(responsesFor(stranger))).join('\n')
    personal = new Map(
      persons.map(({ id, name, email }) => [
        email ?? id,
        [name, email ?? name, toPublicId('std', id), toPublicId('mbr', id)]
          .map((value) => value.toLowerCase())
          .filter((value) => !seenByAll.includes(value)),
      ]),
    )
  })

  function pathsOf(operation: Operation): string[] {
    if (!operation.path.includes('{')) return [operation.kind === 'list' ? `${operation.path}?limit=100` : operation.path]
    const owner = (operation.kind === 'list' && operation.parent?.resource) || operation.resource
    return (ids.get(owner.name) ?? []).map((id) => operation.path.replace(/\{\w+\}/, id))
  }

  /** Sends all reads of this person, with one scope or with all, and returns the responses one by one. */
  async function* responsesFor(as: string, scope?: string): AsyncGenerator<string> {
    for (const operation of reads.filter((one) => scope === undefined || one.scope === scope))
      for (const path of pathsOf(operation)) {
        const { status, text } = await api.get(path, { as, scopes: scope === undefined ? allScopes : [scope] })
        // An error repeats the id of the request.
        if (status === 200) yield text.toLowerCase()
      }
  }

  /** Returns the first of the values that a read with this scope shows. */
  async function firstShown(as: string, scope: string, values: readonly string[]): Promise<string | undefined> {
    for await (const text of responsesFor(as, scope)) {
      const shown = values.find((value) => text.includes(value))
      if (shown !== undefined) return shown
    }
    return undefined
  }

  test.each(people)('are marked for a $reader, and no other scope is', async ({ reader, email }) => {
    const others = [...personal].filter(([of]) => of !== email).flatMap(([, values]) => values)
    expect(others.length).toBeGreaterThan(100)
    const wrong: string[] = []
    // The author of a comment has shown it, with a name, to everybody who takes the same course.
    for (const { name, othersData } of scopes.filter((one) => reader !== 'learner' || one.name !== 'comments:read')) {
      const value = await firstShown(email, name, others)
      const isMarked = othersData.includes(reader)
      if ((value !== undefined) !== isMarked) wrong.push(`${name}: ${isMarked ? 'marked, but shows nobody' : `shows ${value}`}`)
    }
    expect(wrong).toEqual([])
  })
})
