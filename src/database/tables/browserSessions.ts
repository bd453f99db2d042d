import type { Reader, Writer } from '../connection/database.ts'

export interface BrowserSession {
  /** Hash of the cookie's value. */
  id: string
  /** The id by which pages know the session of their browser. */
  uid: string | undefined
  signedInAt: Date
  expiresAt: Date
}

/** The sessions of the browsers of accounts, in every store that keeps them. */
export interface BrowserSessions {
  list(schoolId: string, accountId: string, transaction?: Reader): Promise<BrowserSession[]>
  end(writer: Writer, schoolId: string, sessionId: string): Promise<void>
}
