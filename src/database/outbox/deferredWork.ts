import type { Reader } from '../connection/database.ts'
import type { Notice } from './accountNotice.ts'

/** The request of a page, for the audit entry that is written later. */
export interface RequestFacts {
  request_id: string
  address: string
}

/** Work that a request promises and that is done after its response, by kind, with what is stored until then. */
export interface DeferredWork {
  sign_up_request: { email: string; name: string; return_to: string | null; language: string }
  password_reset_request: { email: string; return_to: string | null; language: string; request: RequestFacts }
  account_notice: Notice
}

/** Stores work in the outbox, with the transaction of `db` if there is one. It is done even if this process ends. */
export type Defer = <Kind extends keyof DeferredWork>(db: Reader, schoolId: string, kind: Kind, work: DeferredWork[Kind]) => Promise<void>
