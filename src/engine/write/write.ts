import type { PersonCaller } from '../../base/caller.ts'
import { Problem } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { type Actor, actingAs } from '../../database/tables/actors.ts'
import { recordAudit } from '../../database/tables/audit.ts'
import type { ApiResponse, Call, RequestInput } from '../call.ts'
import type { Operation } from '../declare/operations.ts'
import type { Values } from '../declare/values.ts'
import { csvColumns } from '../output/csvColumns.ts'
import { entriesOf, newActivity } from './activity.ts'
import { requireDecided, requireUnused } from './approved.ts'
import { pauseUnusual, requireUsual } from './circuitBreaker.ts'
import { csvItems } from './csvItems.ts'
import { explainWriteViolation } from './explainViolation.ts'
import { keyedBy, onceUnderKey } from './idempotency.ts'
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
  const { body, received, isCsv } = await readSent(operation, sent, { school, caller, externalServices: call.externalServices })
  return await store
    .transaction(async (writer) => {
      const { database: _database, store: _store, ...rest } = call
      const write: Write<Target> = {
        ...rest,
        caller,
        writer: actingAs(writer, actorOf(caller)),
        body,
        agentReason: sent.agentReason,
        activity: { ...newActivity(), approvalId: sent.approval?.id },
        received,
        isCsv,
        now: new Date(),
      }
      const changed = async (): Promise<ApiResponse> => {
        if (sent.approval) await requireUnused(writer, sent.approval)
        const mayBeFinal = sent.isDryRun === true || (sent.approval?.id !== undefined && sent.approval.isKind !== true)
        const response = await reportRemoved(write, await undoably({ ...write, mayBeFinal }, () => change(write)))
        await recordAudit(writer, entriesOf(write.activity))
        if (sent.approval) requireDecided(write, sent.approval)
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
  operation: Operation,
  sent: RequestInput,
  context: Parameters<FormRules['receive']>[1],
): Promise<{ body: unknown; received?: Values | undefined; isCsv?: boolean }> {
  const rules = operation.kind === 'collection' ? operation.rules.csv?.() : undefined
  const csv = rules && (await sent.csv?.())
  const exported = (): string[] => csvColumns(operation.resource.schemas.staff, undefined)
  if (rules && csv !== undefined) return { body: { ...rules.options, items: csvItems(csv, rules, exported()) }, isCsv: true }
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
