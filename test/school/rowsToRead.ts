import { hashedId, newId, toPublicId } from '../../src/base/ids.ts'
import { inSchool } from '../../src/database/school/inSchool.ts'
import type { Operation } from '../../src/engine/declare/operations.ts'
import { queryScopeOf, tables } from '../../src/engine/declare/queryScope.ts'
import type { Resource } from '../../src/engine/declare/resource.ts'
import { isReadable } from '../../src/engine/read/selectRows.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import type { DemoApi } from './demoApi.ts'
import { createSubjects } from './derived/createSubjects.ts'

/** One account of each kind of caller, from the one that sees the least to the one that sees everything. */
export const callersByPower = [undefined, 'learner001@example.org', 'lecturer1@example.com', 'admin1@example.com', 'owner@example.com']
const [guest, learner] = callersByPower
const owner = 'owner@example.com'

const declared = resources.flatMap((one) => ('operations' in one ? [one] : []))
const readsByKey = operationsIn(resources).filter(({ method, path }) => method === 'GET' && path.includes('{'))

/** The rows that the path of a read operation can name. */
export interface RowsToRead {
  /** Returns the key of a row that as many callers as possible can read; an empty text if the path names no row. */
  visible(operation: Operation): string
  /** Returns the key of a row that staff can read and anonymous callers and learners cannot; undefined if there is none. */
  hidden(operation: Operation): string | undefined
  /** Returns true if the caller can read the row that `visible` returns. */
  isVisibleTo(operation: Operation, email: string | undefined): boolean
  /** Returns the path with the key of the row, and a refund of that row if the path names one. */
  addressOf(operation: Operation, key: string): string
}

interface Keys {
  visible: string
  hidden: string | undefined
  readers: ReadonlySet<string | undefined>
}

/**
 * Chooses rows of the demo for every read operation, with the visibility rules of the declarations. If the demo has no such row, it is
 * created like the row of a write, by test/school/derived.
 */
export async function chooseRowsToRead(api: DemoApi): Promise<RowsToRead> {
  const keys = new Map<string, Keys>()
  for (const operation of readsByKey) keys.set(operation.id, await chooseKeys(api, operation))
  const refunds = new Map((await refundsOf(api)).map(({ order_id, id }) => [toPublicId('ord', order_id), toPublicId('rfd', id)]))
  const keysOf = ({ id }: Operation): Keys | undefined => keys.get(id)
  return {
    visible: (operation) => keysOf(operation)?.visible ?? '',
    hidden: (operation) => keysOf(operation)?.hidden,
    isVisibleTo: (operation, email) => isForAll(operation) || (keysOf(operation)?.readers.has(email) ?? true),
    addressOf: ({ path }, key) => path.replace('{refund_id}', refunds.get(key) ?? toPublicId('rfd', newId())).replace(/\{\w+\}/, key),
  }
}

/** True if it shows a row to everybody who knows its key, such as the number of a certificate. */
const isForAll = ({ anonymous, resource }: Operation): boolean => anonymous === 'full' && !resource.audiences.includes('anonymous')

/** Returns the resource whose row the path names: in `/api/v1/courses/{id}/enrollments` a course. */
export function resourceNamed({ path, resource }: Operation): Resource {
  const [before = ''] = path.split('/{')
  return declared.find((one) => before.endsWith(`/${one.path}`)) ?? resource
}

async function chooseKeys(api: DemoApi, operation: Operation): Promise<Keys> {
  const resource = resourceNamed(operation)
  if (operation.id === 'listAuthorizationActivity') return await newGrantOfOwner(api)
  if ((await readableIds(api, resource, owner)).size === 0) await createSubjects(api).newRow(resource)
  const visibleTo = new Map<string | undefined, Set<string>>()
  for (const email of callersByPower) visibleTo.set(email, await readableIds(api, resource, email))
  const readersOf = (id: string) => new Set(callersByPower.filter((email) => visibleTo.get(email)?.has(id)))

  const refunded = new Set((await refundsOf(api)).map(({ order_id }) => order_id))
  const all = [...(visibleTo.get(owner) as Set<string>)].filter((id) => !operation.path.includes('{refund_id}') || refunded.has(id))
  const most = Math.max(...all.map((id) => readersOf(id).size))
  const visible = all.find((id) => readersOf(id).size === most) as string
  const hidden = all.find((id) => !visibleTo.get(guest)?.has(id) && !visibleTo.get(learner)?.has(id))
  return { visible: await keyOf(api, operation, resource, visible), hidden: await hiddenKey(), readers: readersOf(visible) }

  async function hiddenKey(): Promise<string | undefined> {
    if (hidden !== undefined) return await keyOf(api, operation, resource, hidden)
    return operation.kind === 'collectionRead' ? undefined : await createSubjects(api).newRow(resource)
  }
}

/** Returns the keys of a new grant of the owner, which nobody else sees. */
async function newGrantOfOwner({ database, school }: DemoApi): Promise<Keys> {
  const grantId = newId()
  await database.sql.query(
    `INSERT INTO oidc_grant (school_id, id, account_id, client_id, payload, expires_at)
     SELECT school_id, $2, id, 'cli_test', '{}', now() + interval '1 day' FROM account WHERE school_id = $1 AND email = $3`,
    [school.id, grantId, owner],
  )
  return { visible: hashedId('aut', grantId), hidden: undefined, readers: new Set([owner]) }
}

const refundsOf = ({ database, school }: DemoApi) =>
  database.sql.query<{ id: string; order_id: string }>(
    'SELECT id, order_id FROM refund WHERE school_id = $1 AND credit_note_number IS NOT NULL ORDER BY id',
    [school.id],
  )

async function readableIds(
  { database, school, caller: callerOf }: DemoApi,
  resource: Resource,
  email: string | undefined,
): Promise<Set<string>> {
  const caller = await callerOf(email)
  const rows = await tables(inSchool(database.kysely, school.id))
    .selectFrom(resource.table as 'any_table')
    .select('id')
    .where('school_id', '=', school.id)
    .where((row) => isReadable(queryScopeOf({ resource, schoolId: school.id, caller }), row))
    .orderBy('id')
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Returns the path parameter: the id, or the number of a certificate. */
async function keyOf({ database, school }: DemoApi, { path }: Operation, { idPrefix, table }: Resource, id: string): Promise<string> {
  if (!path.includes('{number}')) return toPublicId(idPrefix, id)
  const [row] = await database.sql.query<{ number: string }>(`SELECT number FROM ${table} WHERE school_id = $1 AND id = $2`, [
    school.id,
    id,
  ])
  return String(row?.number)
}
