import { toPublicId } from '../ids.ts'
import type { Log } from '../log/log.ts'
import type { Metrics } from './metrics.ts'
import { requestIds } from './requestIds.ts'
import type { RequestState } from './requestState.ts'

export interface CompletedRequest extends Pick<RequestState, 'clientId' | 'accountId' | 'problem' | 'trace'> {
  requestId: string
  school: string | undefined
  operation: string
  path: string
  status: number
  milliseconds: number
  address: string
}

export type BlockingOperation = Pick<CompletedRequest, 'operation'> & Partial<CompletedRequest>

export type ReportBlock = (milliseconds: number, blocking: BlockingOperation) => void

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
