import type { PersonCaller } from '../../../base/caller.ts'
import { schoolDatabase } from '../../../database/school/inSchool.ts'
import type { ApiResponse, RequestInput } from '../../../engine/call.ts'
import type { Operation } from '../../../engine/declare/operations.ts'
import { run } from '../../../engine/run.ts'
import { createMeasure, withDryRuns } from '../../../engine/write/dryRun.ts'
import type { SentForm } from '../../../engine/write/writing.ts'
import { findPerson } from '../../../identity/accounts/findPerson.ts'
import type { CommandSession } from '../command.ts'
import { failure } from '../failures.ts'
import { requirePerson } from '../requirePerson.ts'
import type { SessionSchool } from '../session.ts'
import { operatorServices } from './operatorServices.ts'

export interface ApiCall extends Pick<RequestInput, 'ifMatch' | 'isDryRun'> {
  operation: Operation
  parameters: Readonly<Record<string, unknown>>
  body: unknown
  /** The form of an upload. */
  form?: SentForm | undefined
  /** The person in whose name the operator calls it; undefined for a read with the rights of an owner. */
  as: string | undefined
}

/** Returns a function that calls operations of the API for an operator: with the same checks as for every caller, except for limits. */
export async function apiCaller(
  session: CommandSession,
  operations: readonly Operation[],
): Promise<(call: ApiCall) => Promise<ApiResponse>> {
  const school = await session.school()
  const store = schoolDatabase(await session.database(), school.id, 'operator')
  const externalServices = await operatorServices(session, operations)
  const keyring = session.keyring()
  const signer = {
    sign: (text: string) => keyring.sign('cursors', text),
    verify: (text: string, signature: string) => keyring.verify('cursors', text, signature),
  }
  const scopes = new Set(operations.map(({ scope }) => scope))
  const perform = withDryRuns(run, createMeasure(run))
  return async ({ operation, parameters, body, form, as, ifMatch, isDryRun }) => {
    const person = as === undefined ? owner : await personNamed(school, as)
    const caller: PersonCaller = { kind: 'person', ...person, scopes, clientId: '', grantId: '', operator: session.userName }
    const sent = {
      parameters: () => parameters,
      body: async () => body,
      ...(form && { form: async () => ({ ...form, discard: async () => undefined }) }),
      ifMatch,
      isDryRun,
    }
    return await perform(operation, caller, sent, { database: store.kysely, store, school, signer, externalServices })
  }
}

/** Sees what every owner sees, and has no login. */
const owner = { accountId: '00000000-0000-0000-0000-000000000000', personId: null, lecturerId: null, role: 'owner' } as const

async function personNamed({ rows }: SessionSchool, named: string) {
  const { accountId } = await requirePerson(rows, named)
  const person = await findPerson(rows, accountId)
  if (!person) throw failure(`the login of ${named} is disabled`)
  return person
}
