import type { PersonCaller } from '../../base/caller.ts'
import { toPublicId } from '../../base/ids.ts'
import { canWait } from '../../base/mail/emailKinds.ts'
import { Problem } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { type Actor, actingAs } from '../../database/tables/actors.ts'
import { type AuditEntry, recordAudit } from '../../database/tables/audit.ts'
import { writeEvent } from '../../database/tables/auditEvents.ts'
import { type ChangeAction, changeActionOf } from '../../database/tables/changeActions.ts'
import { recordChange, rowsChangedInTransaction } from '../../database/tables/changeLog.ts'
import type { ApiResponse, Call, RequestInput } from '../call.ts'
import type { Values } from '../declare/expressions.ts'
import { type Operation, type OperationOf, undoOf } from '../declare/operations.ts'
import { pickerOf } from '../declare/views.ts'
import type { ExternalServices } from '../externalServices.ts'
import { csvColumns } from '../output/csvColumns.ts'
import { type Activity, joinEntries, newActivity } from './activity.ts'
import { pauseUnusual, requireUsual } from './circuitBreaker.ts'
import { type CsvFile, readCsv } from './csvItems.ts'
import { explainWriteViolation } from './explainViolation.ts'
import { keyedBy, onceUnderKey } from './idempotency.ts'
import { parseInput } from './parseBody.ts'
import { reportRemoved } from './reportRemoved.ts'
import { undoably } from './undo.ts'
import type { FormRules, Writing } from './writing.ts'

/** A call inside the transaction that it writes in. */
export type Write<Target extends Operation> = Omit<Call<Target>, 'caller' | 'database' | 'store'> &
  Writing & {
    caller: PersonCaller
    writer: SchoolWriter
    body: unknown
    /** Why the app makes the request, in its own words. */
    agentReason?: string | undefined
    /** True for one item of a bulk operation, which has one entry in the audit trail. */
    isPart?: boolean
  }

/**
 * Runs a change in one transaction: the row, the response stored under its key, the audit entry and the change feed's entry are
 * committed together.
 * @throws Problem
 */
export async function write<Target extends Operation>(
  call: Call<Target>,
  sent: RequestInput,
  change: (write: Write<Target>) => Promise<ApiResponse>,
): Promise<ApiResponse> {
  const { store, caller, operation, school } = call
  if (!store || caller.kind !== 'person') throw new Error(`${operation.id} needs a store and a signed-in person`)
  const key = keyedBy(operation, caller, sent)
  const isKept = call.externalServices.undo.days() > 0 && undoOf(operation) === true
  const joint = isKept ? call.merging?.joint : undefined
  const { body, received, csv } = await readSent(call, sent, { school, caller, externalServices: call.externalServices })
  return await store
    .transaction(async (writer) => {
      const { database: _database, store: _store, ...rest } = call
      const activity: Activity = { ...newActivity(), ...(joint && { id: joint.id }), approvalId: call.merging?.approvalId }
      const write: Write<Target> = {
        ...rest,
        caller,
        writer: actingAs(writer, actorOf(caller)),
        body,
        agentReason: sent.agentReason,
        activity,
        externalServices: countingEmails(call, { caller, activity }),
        received,
        csv,
        now: new Date(),
      }
      const changed = async (): Promise<ApiResponse> => {
        const undoable = { ...write, isDryRun: sent.isDryRun ?? false, mayBeFinal: call.merging !== undefined, joint }
        const response = await reportRemoved(write, await undoably(undoable, () => change(write)))
        if (sent.isRepeated && activity.entry) throw again()
        await recordAudit(writer, joinEntries(joint, activity))
        if (!sent.isDryRun) await requireUsual(write)
        return { ...response, entry: write.activity.entry }
      }
      if (key === undefined) return await changed()
      const content = [body, received?.checksum ?? '', (sent.target ?? '').split('?')[1] ?? '']
      return await onceUnderKey(write, { schoolId: school.id, id: key, content }, changed)
    })
    .catch(async (error: unknown) => {
      throw explainWriteViolation(await pauseUnusual(error, { store, clientId: caller.clientId }), operation.resource)
    })
}

/** Returns the services, with which an activity counts its e-mails. */
function countingEmails(
  { externalServices: services }: Pick<Call, 'externalServices'>,
  { caller, activity: { emails } }: { caller: PersonCaller; activity: Activity },
): ExternalServices {
  const isHeld = caller.clientId !== '' && services.apps.outgoingDelay() > 0
  return {
    ...services,
    async send(db, school, to, kind, values) {
      emails[isHeld && canWait(kind) ? 'held' : 'now'] += [to].flat().length
      await services.send(db, school, to, kind, values)
    },
  }
}

function actorOf({ clientId, operator }: PersonCaller): Actor {
  if (operator !== undefined) return { kind: 'operator' }
  return clientId === '' ? { kind: 'person' } : { kind: 'app', clientId }
}

/** Reads the JSON body; an absent body is an empty object. A JSON null stays null and is rejected later. */
async function readObject(sent: RequestInput): Promise<unknown> {
  const body = await sent.body?.()
  return body === undefined ? {} : body
}

/** Reads the body. For a form, receives its file and returns its fields. */
async function readSent(
  { operation, parameters }: Pick<Call, 'operation' | 'parameters'>,
  sent: RequestInput,
  context: Parameters<FormRules['receive']>[1],
): Promise<{ body: unknown; received?: Values | undefined; csv?: CsvFile }> {
  const rules = operation.kind === 'collection' ? operation.rules.csv?.() : undefined
  const text = rules && (await sent.csv?.())
  if (rules && text !== undefined) {
    const exported = csvColumns(operation.resource.schemas.staff, undefined)
    const csv = readCsv(text, rules, { exported, clears: parameters.get('empty_cells') === 'clear' })
    return { body: { ...rules.options, items: csv.items }, csv }
  }
  const takes = operation.kind === 'create' ? operation.rules.takes : undefined
  if (!takes) return { body: operation.method === 'DELETE' ? {} : await readObject(sent) }
  const form = await sent.form?.(takes.maxBytes)
  if (!form) throw new Problem('unsupported_media_type', { description: 'A file must be sent as multipart/form-data.' })
  try {
    return { body: { ...form.fields, ...(form.file && { file: form.file.filename }) }, received: await takes.receive(form, context) }
  } finally {
    await form.discard()
  }
}

export interface RecordedWrite {
  /** The action in the audit trail: created, updated, deleted or the name of the operation. */
  action: string
  /** The action in the change feed, if it does not follow from `action`. */
  change?: ChangeAction | undefined
  /** The row; absent for the collection as a whole. */
  id?: string
  ids?: readonly string[]
  /** Versions before and after; null if the row did not exist before, or does not exist after. */
  before: number | null
  after: number | null
  reason?: string | undefined
  /** The title of the row, or its code. Never a name of a person: the trail outlives the row. */
  label?: string | undefined
}

/** Returns the title of a row, or its code. Names are left out: they can be those of people. */
export function labelOf(row: object): string | undefined {
  const { title, code }: { title?: unknown; code?: unknown } = row
  const label = title ?? code
  return typeof label === 'string' ? label.slice(0, 200) : undefined
}

/** Records a write in the change feed, and in the audit trail at the end of the request. */
export async function recordWrite(write: Write<Operation>, recorded: RecordedWrite): Promise<void> {
  const { writer, operation } = write
  const { action, change = changeActionOf(action), id, before, after } = recorded
  if (!write.isPart) write.activity.entries.push(auditEntry(write, recorded))
  if (id === undefined) return
  await recordChange(writer, {
    type: operation.resource.object,
    resource_id: id,
    action: change,
    version: after ?? before ?? 1,
  })
}

function auditEntry(
  { school, caller, operation, requestId, address, agentReason, activity }: Write<Operation>,
  { action, id, ids, before, after, reason, label }: RecordedWrite,
): AuditEntry {
  const { object, idPrefix } = operation.resource
  const entryId = activity.isRecorded ? undefined : activity.id
  activity.isRecorded = true
  const event = writeEvent(object, action)
  const details = {
    operation: operation.id,
    scope: operation.scope,
    role: caller.role,
    resource: {
      type: object,
      ...(id !== undefined && { id: toPublicId(idPrefix, id) }),
      ...(label !== undefined && { label }),
      ...(ids && { ids: ids.map((one) => toPublicId(idPrefix, one)) }),
    },
    before_version: before,
    after_version: after,
    ...(reason !== undefined && { reason }),
    ...(agentReason !== undefined && { agent_reason: agentReason }),
    ...(activity.approvalId !== undefined && { approval: activity.approvalId }),
    ...(caller.operator !== undefined && { operator: caller.operator }),
  }
  activity.entry ??= { id: activity.id, event, details, rowVersion: before }
  return {
    id: entryId,
    school_id: school.id,
    event,
    account_id: caller.accountId,
    // Empty on the account pages, where people act themselves.
    client_id: caller.clientId || undefined,
    grant_id: caller.grantId || undefined,
    request_id: requestId,
    address,
    details,
  }
}

/** The most ids in one entry of the audit trail. */
const maxIds = 1000

/** Runs an operation on the collection as a whole. The declaration records the changes of rows. */
export async function actOnCollection(write: Write<OperationOf<'collection'>>): Promise<ApiResponse> {
  const { operation, body } = write
  const { input, run, isAtomic, output, checksEach } = operation.rules
  const values = parseInput(input, body, checksEach)
  const given = await run(write, values)
  const isUnchanged = given && operation.rules.isUnchanged?.(given)
  if (!isUnchanged) {
    const ids = await rowsChangedInTransaction(write.writer, operation.resource.object, maxIds)
    await recordWrite(write, { action: operation.name, before: null, after: null, ...(ids.length > 0 && { ids }) })
  }
  const response = given && output ? pickerOf(output, 'staff')(given) : given
  const status = isAtomic?.(values) ? 200 : operation.successStatus
  return { status, isUnchanged, body: response ?? {}, text: response === undefined ? '' : JSON.stringify(response) }
}

const again = (): Problem =>
  new Problem('approval_required', { description: 'The stored response has expired. Send the request again: then the person decides.' })
