import { Problem } from '../../lib/problem.ts'
import type { PersonCaller } from '../../policy/caller.ts'
import type { Writer } from '../../store/database.ts'
import type { Answer, Call, Sent } from '../call.ts'
import type { Operation } from '../declare/operations.ts'
import type { Values } from '../declare/values.ts'
import { explainWriteViolation } from './explainViolation.ts'
import { onceUnderKey, parseKey } from './idempotency.ts'
import type { FormRules, Writing } from './writing.ts'

/** A call inside the transaction that it writes in. */
export type Write<Asked extends Operation> = Omit<Call<Asked>, 'caller' | 'database' | 'store'> &
  Writing & {
    caller: PersonCaller
    writer: Writer
    body: unknown
    /** True for one item of a bulk operation, which has one entry in the audit trail. */
    isPart?: boolean
  }

/**
 * Runs a change in one transaction: the row, the response stored under its key, the audit entry and the change feed's entry are
 * committed together.
 * @throws Problem
 */
export async function write<Asked extends Operation>(
  call: Call<Asked>,
  sent: Sent,
  change: (write: Write<Asked>) => Promise<Answer>,
): Promise<Answer> {
  const { store, caller, operation, school } = call
  if (!store || caller.kind !== 'person') throw new Error(`${operation.id} needs a store and a signed-in person`)
  const key = operation.method === 'POST' ? parseKey(sent.idempotencyKey) : undefined
  const { body, received } = await readSent(operation, sent, { school, caller, externalServices: call.externalServices })
  const explained = async (write: Write<Asked>): Promise<Answer> => {
    try {
      return await change(write)
    } catch (error) {
      throw explainWriteViolation(error, operation.resource)
    }
  }
  const outcome = await store
    .transaction(async (writer) => {
      const { database: _database, store: _store, ...rest } = call
      const write: Write<Asked> = {
        ...rest,
        caller,
        writer,
        body,
        received,
        now: new Date(),
      }
      if (key === undefined) return await explained(write)
      const id = [caller.clientId, caller.accountId, operation.method, String((sent.target ?? operation.path).split('?')[0]), key]
      const content = [body, received?.checksum ?? '', (sent.target ?? '').split('?')[1] ?? '']
      return await onceUnderKey(write, { schoolId: school.id, id, content }, () => explained(write))
    })
    .catch((error: unknown) => {
      throw explainWriteViolation(error, operation.resource)
    })
  // A Problem that was stored under a key: its record had to be committed first.
  if (outcome instanceof Problem) throw outcome
  return outcome
}

/** Reads the JSON body; an absent body is an empty object. A JSON null stays null and is rejected later. */
async function readObject(sent: Sent): Promise<unknown> {
  const body = await sent.body?.()
  return body === undefined ? {} : body
}

/** Reads the body. For a form, receives its file and returns its fields. */
async function readSent(
  operation: Operation,
  sent: Sent,
  context: Parameters<FormRules['receive']>[1],
): Promise<{ body: unknown; received?: Values | undefined }> {
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
