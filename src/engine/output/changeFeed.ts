import { z } from 'zod'
import { audienceOf, type Caller } from '../../base/caller.ts'
import { toPublicId } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import type { School } from '../../base/school.ts'
import { keysOf } from '../../base/text/keysOf.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { limitStatements } from '../../database/connection/timeLimit.ts'
import { actorKinds } from '../../database/tables/actors.ts'
import { changeActionOf, changeActions } from '../../database/tables/changeActions.ts'
import {
  type ChangePosition,
  changeDays,
  firstPosition,
  isUnreached,
  latestPosition,
  type RecordedChange,
  readChanges,
} from '../../database/tables/changeLog.ts'
import { clientNames } from '../../database/tables/clients.ts'
import type { ApiResponse, RunContext } from '../call.ts'
import { scopeName } from '../declare/area.ts'
import { everything } from '../declare/expressions.ts'
import { type AcrossTypes, apiPath, type Operation, type ReadType, requireTypes } from '../declare/operations.ts'
import { query } from '../declare/parameters.ts'
import { queryScopeOf } from '../declare/queryScope.ts'
import type { Resource } from '../declare/resource.ts'
import { listFingerprint, seal, unseal } from '../read/cursor.ts'
import { findRowsById } from '../read/findRows.ts'
import { parseParameters } from '../read/parseParameters.ts'
import { listEtag } from './serialize.ts'

const dayMs = 86_400_000

export function changeFeedOf(operations: readonly Operation[]): AcrossTypes {
  const types = new Map(operations.filter(isAboutRows).map((one) => [one.resource.object, followed(one.resource, operations)]))
  const names = [...types.keys()]
  return {
    id: 'listChanges',
    method: 'GET',
    path: `${apiPath}/changes`,
    summary: 'List changes in order',
    description: `Changes of the last ${changeDays} days, oldest first, for the staff of the school. Start with \`cursor=latest\` and continue with \`next_cursor\`, which is always present. Each type needs the read scope of its resource.`,
    tag: { name: 'changes', description: 'Changes in the school, in order, for programs that keep a copy.' },
    listed: 'Change',
    errors: ['cursor_expired'],
    anonymous: 'none',
    roles: ['staff'],
    successStatus: 200,
    types,
    parameters: [
      {
        ...query('types', 'Types of objects to follow. Each needs the read scope of its resource.', z.array(z.enum(names)).min(1)),
        isRequired: true,
      },
      query('limit', 'Changes per page.', z.int().min(1).max(500).default(100)),
      query(
        'cursor',
        `next_cursor of the previous page; latest starts with changes from now on. A cursor is valid for ${changeDays} days.`,
        z.string().min(1),
      ),
    ],
  }
}

/** True for operations on rows. Reports and other computed data have no changes. */
const isAboutRows = ({ kind, method }: Operation): boolean =>
  kind === 'list' || kind === 'get' || (method !== 'GET' && kind !== 'read' && kind !== 'collectionRead')

/** Returns a resource with the scope of the operation that reads it or, without such an operation, of one that changes it. */
function followed(resource: Resource, operations: readonly Operation[]): ReadType {
  const own = operations.filter((one) => one.resource === resource)
  const read = own.find(({ kind }) => kind === 'list' || kind === 'get')
  const scope = read?.scope ?? ('read' in resource.area.scopes ? scopeName(resource.area, 'read') : own[0]?.scope)
  if (scope === undefined) throw new Error(`${resource.name} needs an operation with a scope for its changes`)
  return { resource, scope }
}

type FeedParameters = { types: z.ZodArray<z.ZodString>; limit: z.ZodInt; cursor: z.ZodOptional<z.ZodString> }

const isEverything = (rule: unknown): boolean => rule === everything

export const changeSchema = z.object({
  id: z.string().meta({ description: 'Id of the change.', example: 'chg_01jgwejj00e6srgkpqm2sqf05m' }),
  object: z.literal('change').meta({ description: 'Type of this object.' }),
  type: z.string().meta({ description: 'Type of the changed object.', example: 'course' }),
  action: z.enum(keysOf(changeActions)).meta({
    description: Object.entries(changeActions)
      .map(([action, meaning]) => `${action}: ${meaning}`)
      .join(' '),
    example: 'published',
  }),
  resource: z
    .object({
      type: z.string().meta({ description: 'Type of the changed object.', example: 'course' }),
      id: z.string().meta({ description: 'Id of the changed object.', example: 'crs_01jgwejj00e6srgkpqm2sqf05m' }),
    })
    .meta({ description: 'The row.' }),
  version: z.int().meta({ description: 'Version of the object after the change; for a deleted object its last version.', example: 3 }),
  occurred_at: z.iso.datetime().meta({ description: 'When.', example: '2026-03-01T09:30:00.000Z' }),
  by: z
    .object({
      kind: z.enum(keysOf(actorKinds)).meta({
        description: Object.entries(actorKinds)
          .map(([kind, meaning]) => `${kind}: ${meaning}`)
          .join(' '),
        example: 'app',
      }),
      client_id: z.string().nullable().meta({ description: 'The app; null without one.', example: 'k2Jx' }),
      client_name: z.string().nullable().meta({ description: 'The name that the app gives itself now.', example: 'Timetable sync' }),
    })
    .nullable()
    .meta({ description: 'Who made the change. Null if an earlier release recorded it.' }),
})

/**
 * Returns the changes after the cursor, for the school's staff.
 * @throws Problem cursor_expired, invalid_cursor, and the problems of every operation
 */
export async function answerChanges(
  feed: AcrossTypes,
  caller: Caller,
  read: () => Readonly<Record<string, unknown>>,
  { store, school, signer }: Pick<RunContext, 'store' | 'school' | 'signer'>,
): Promise<ApiResponse> {
  if (caller.kind === 'anonymous') {
    throw new Problem('access_denied', {
      description: 'Changes: not public. Sign in and present a token with the read scopes of the types.',
      details: [{ code: 'scope_needed', message: 'A token needs the read scope of each type.' }],
    })
  }
  const parameters = parseParameters<FeedParameters>(feed.parameters, read())
  const types = [...new Set(parameters.get('types'))].toSorted()
  if (audienceOf(caller) !== 'staff')
    throw new Problem('access_denied', { description: 'Changes are available only to the staff of the school.' })
  requireTypes(feed, types, caller)
  if (!store) throw new Error('the change feed needs a database')
  const fingerprint = listFingerprint(['changes', school.id, types])
  const limit = parameters.get('limit')
  const cursor = parameters.get('cursor')
  const after = cursor === undefined || cursor === 'latest' ? undefined : positionIn(unseal(signer, cursor), fingerprint)
  return await store.transaction(async (writer) => {
    await limitStatements(store.kind, writer, 'read')
    if (after && (await isUnreached(writer, after))) throw new Problem('cursor_expired')
    // An empty page returns a cursor too, so that the next request continues from here.
    const end = cursor === 'latest' ? await latestPosition(writer) : after
    const found = cursor === 'latest' ? [] : await readChanges(writer, school.id, { types, after, limit: limit + 1 })
    const page = found.slice(0, limit)
    const changes = await readable(writer, { feed, school, caller }, page)
    const clients = await clientNames(writer, [...new Set(changes.flatMap(({ client_id }) => client_id ?? []))])
    const last = page.at(-1) ?? end ?? firstPosition
    const body = {
      object: 'list',
      data: changes.map((change) => presentChange(feed, change, clients)),
      page: {
        limit,
        has_more: found.length > limit,
        next_cursor: seal(signer, [fingerprint, last.transaction, last.id, Date.now(), last.epoch]),
        prev_cursor: null,
      },
    }
    const text = JSON.stringify(body)
    return { status: 200, body, text, etag: listEtag(JSON.stringify(body.data)) }
  }, 'read')
}

function positionIn(parts: unknown[], fingerprint: string): ChangePosition {
  // Cursors of earlier releases have no epoch: they are older than all epochs.
  const [belongsTo, transaction, id, issuedAt, epoch = '0'] = parts as [string, string, string, number, string?]
  if (belongsTo !== fingerprint) {
    throw new Problem('invalid_cursor', {
      description: 'This cursor belongs to other types. Send it with the same types as in the first request.',
    })
  }
  if (Date.now() - issuedAt > changeDays * dayMs) throw new Problem('cursor_expired')
  return { epoch, transaction, id }
}

/** Returns the changes of rows that the caller can read. Of some resources, such as accounts, even staff see only their own row. */
async function readable(
  writer: SchoolWriter,
  { feed, school, caller }: { feed: AcrossTypes; school: School; caller: Caller },
  changes: readonly RecordedChange[],
): Promise<RecordedChange[]> {
  const seen = new Map<string, ReadonlySet<string>>()
  for (const type of new Set(changes.map((change) => change.type))) {
    const resource = feed.types.get(type)?.resource
    if (!resource || isEverything(resource.visibility.staff)) continue
    const ids = changes.filter((change) => change.type === type).map((change) => change.resource_id)
    const rows = await findRowsById(writer, queryScopeOf({ resource, schoolId: school.id, caller }), ids)
    seen.set(type, new Set(rows.map(({ id }) => id)))
  }
  return changes.filter(({ type, resource_id }) => seen.get(type)?.has(resource_id) ?? true)
}

function presentChange(
  { types }: AcrossTypes,
  { id, type, action, resource_id, version, occurred_at, actor_kind: kind, client_id }: RecordedChange,
  clients: ReadonlyMap<string, string>,
): Record<string, unknown> {
  return {
    id: toPublicId('chg', id),
    object: 'change',
    type,
    action: changeActionOf(action),
    resource: { type, id: toPublicId(types.get(type)?.resource.idPrefix ?? '', resource_id) },
    version,
    occurred_at: new Date(occurred_at).toISOString(),
    by: kind === null ? null : { kind, client_id, client_name: (client_id !== null && clients.get(client_id)) || null },
  }
}
