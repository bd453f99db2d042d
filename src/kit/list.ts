import { audienceOf } from '../policy/caller.ts'
import type { Answer, Call } from './call.ts'
import { listFingerprint, readCursor, writeCursor } from './cursor.ts'
import { listEtag } from './etag.ts'
import type { AnyRows, Condition } from './expressions.ts'
import { present } from './present.ts'
import { findRows } from './rows.ts'
import { positionOf, type Sort } from './sorts.ts'

/**
 * One page of the rows that the caller sees.
 * @throws Problem invalid_cursor
 */
export async function answerList(call: Call): Promise<Answer> {
  const { operation, database, signer, sight, parameters } = call
  const sort = sortOf(call)
  const limit = parameters.get('limit') as number
  const cursor = parameters.get('cursor') as string | undefined
  const fingerprint = fingerprintOf(call, sort)
  const after = cursor === undefined ? undefined : readCursor(signer, fingerprint, cursor)
  // One row more than asked for tells whether there is a next page.
  const found = await findRows(database, sight, { conditions: conditionsOf(call), sort, after, limit: limit + 1 })
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  const nextCursor = found.length > limit && last ? writeCursor(signer, fingerprint, positionOf(last, sort)) : null
  const body = {
    object: 'list',
    data: rows.map((row) => present(operation.resource, row, call)),
    page: { limit, has_more: nextCursor !== null, next_cursor: nextCursor, prev_cursor: null },
  }
  const text = JSON.stringify(body)
  return { status: operation.successStatus, body, text, etag: listEtag(text), list: { parameters: textOf(call), nextCursor } }
}

function sortOf({ operation: { resource }, parameters, caller }: Call): Sort {
  const sort =
    resource.sorts.find(({ name }) => name === parameters.get('sort')) ??
    resource.defaultSorts?.[audienceOf(caller) === 'staff' ? 'staff' : 'everyone']
  if (!sort) throw new Error(`${resource.name} has no order`)
  return sort
}

function conditionsOf({ operation, parameters, caller }: Call): ((rows: AnyRows) => Condition)[] {
  return operation.parameters.flatMap(({ name, filter }) => {
    const value = parameters.get(name)
    if (!filter || value === undefined) return []
    const values = Array.isArray(value) ? value : [value]
    return [(rows) => filter.filter.where(rows, filter.operator, values, caller)]
  })
}

function fingerprintOf({ operation, school, caller, parameters }: Call, sort: Sort): string {
  const filters = operation.parameters.filter(({ filter }) => filter).map(({ name }) => parameters.get(name) ?? null)
  return listFingerprint([operation.id, school.id, audienceOf(caller), sort.name, filters])
}

function textOf({ parameters }: Call): Record<string, string> {
  return Object.fromEntries(
    [...parameters].filter(([name, value]) => name !== 'cursor' && value !== undefined).map(([name, value]) => [name, String(value)]),
  )
}
