import { toPublicId } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import type { Metrics } from './metrics.ts'
import { requestIds } from './requestIds.ts'
import type { RequestState } from './requestState.ts'

/** A request that has been answered. */
export interface AnsweredRequest extends Pick<RequestState, 'clientId' | 'accountId' | 'problem' | 'trace'> {
  requestId: string
  school: string | undefined
  operation: string
  path: string
  status: number
  milliseconds: number
  address: string
}

/** The cause of a block of the event loop: a request, or a job by its name. */
export type BlockingOperation = Pick<AnsweredRequest, 'operation'> & Partial<AnsweredRequest>

/** Reports that code of an operation has blocked the event loop for long. */
export type ReportBlock = (milliseconds: number, blocking: BlockingOperation) => void

/** Returns a function that counts a block and writes one line that names the operation and its caller. */
export const createReportBlock =
  ({ log, metrics }: { log: Log; metrics: Pick<Metrics, 'addBlock'> }): ReportBlock =>
  (milliseconds, { operation, school, address, clientId, accountId, ...request }) => {
    metrics.addBlock(operation)
    log.warn(
      {
        operation,
        milliseconds: Math.round(milliseconds),
        school,
        client_id: clientId,
        account_id: accountId === undefined ? undefined : toPublicId('acc', accountId),
        address,
        ...requestIds(request),
      },
      'event loop blocked',
    )
  }
