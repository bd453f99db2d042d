import type { Caller } from '../../base/caller.ts'
import { Problem } from '../../base/problem.ts'
import { withoutCommit } from '../../database/connection/dryRun.ts'
import type { ApiResponse, RequestInput, RunContext } from '../call.ts'
import type { Operation } from '../declare/operations.ts'
import type { ExternalServices } from '../externalServices.ts'
import type { Run } from '../run.ts'
import { type Report, reportOn } from './dryRunReport.ts'

/**
 * Returns the value of the header `Dry-Run`.
 * @throws Problem invalid_request
 */
export function parseDryRun(header: string): boolean {
  const value = header.trim().toLowerCase()
  if (['true', '?1', '1'].includes(value)) return true
  if (['', 'false', '?0', '0'].includes(value)) return false
  throw new Problem('invalid_request', { description: 'Dry-Run must be true or false.' })
}

export const isWrite = ({ method, kind }: Operation): boolean => method !== 'GET' && kind !== 'read' && kind !== 'collectionRead'

/** True if the operation can be tried with `Dry-Run`: it writes, and receives no file. */
export const takesDryRun = (operation: Operation): boolean =>
  isWrite(operation) && !(operation.kind === 'create' && operation.rules.takes !== undefined)

/** `tried`: rolled back. `replayed`: a part of a transaction that is rolled back. `made`: in earnest. */
type Purpose = 'tried' | 'replayed' | 'made'

export type Measure = ReturnType<typeof createMeasure>

/** Returns a function that runs a write, whose entry then has its effect. */
export const createMeasure =
  (run: Run) =>
  async (
    operation: Operation,
    caller: Caller,
    sent: RequestInput,
    context: RunContext & { store: NonNullable<RunContext['store']> },
    purpose: Purpose,
  ): Promise<ApiResponse> => {
    const { store, externalServices } = context
    return await run(
      operation,
      caller,
      { ...sent, isDryRun: purpose !== 'made', idempotencyKey: undefined, form: refuseForm },
      {
        ...context,
        store: purpose === 'tried' ? withoutCommit(store) : store,
        externalServices: purpose === 'made' ? externalServices : withoutEffects(externalServices),
      },
    )
  }

/**
 * Returns `run` with dry runs: the same checks and the same response, with `dry_run`, but the transaction is rolled back, no e-mail is sent, and
 * no Idempotency-Key is used.
 */
export const withDryRuns =
  (run: Run, measure: Measure): Run =>
  async (operation, caller, sent, context) => {
    const { store } = context
    if (!sent.isDryRun || !isWrite(operation) || !store) return await run(operation, caller, sent, context)
    return reported(await measure(operation, caller, sent, { ...context, store }, 'tried'), caller)
  }

const refuseForm = (): never => {
  throw new Problem('invalid_request', { description: 'The upload of a file cannot be tried with Dry-Run: remove the header.' })
}

/** Returns the response to a request that nothing was kept of. */
export function reported(
  { status, body, headers = {}, entry }: ApiResponse,
  caller: Caller,
  { asks = null, ...more }: { asks?: Report['asks']; proposal?: object } = {},
): ApiResponse {
  const whole = { ...body, dry_run: { ...reportOn({ status, effect: entry?.effect }, caller), asks }, ...more }
  const { Location: _, ...others } = headers
  return {
    // A response without a body has no place for the report.
    status: status === 204 ? 200 : status,
    body: whole,
    text: JSON.stringify(whole),
    entry,
    headers: { ...others, 'Dry-Run': 'applied' },
  }
}

/** Returns the services without what a rollback does not take back: limits are not counted, and access and sessions do not end. */
const withoutEffects = (services: ExternalServices): ExternalServices => ({
  ...services,
  emailLimits: { requireRequested: async () => undefined, isNoticeAllowed: async () => true },
  authorizations: { ...services.authorizations, end: async () => undefined },
  sessions: { ...services.sessions, end: async () => undefined },
})
