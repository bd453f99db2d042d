import type { School } from '../../base/school.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import type { MessageKind, Messages, Recipient, SendMessage } from '../../database/outbox/sendMessage.ts'
import type { Builder, Condition } from '../../database/statements/expressions.ts'

export interface NewsContext {
  writer: SchoolWriter
  school: School
  send: SendMessage
  /** False if another site shows the public pages of the school. */
  hasPages: boolean
}

/** News of one kind and one group, which one e-mail is about. */
export interface NewsBatch {
  subjectIds: readonly string[]
  groupId: string
  occurredAt: Date
}

export type Readers = Builder<'person'>

export interface News {
  email: MessageKind
  /** Selects the people whom the news concerns. */
  isFor(person: Readers): Condition
  write(to: readonly Recipient[]): Promise<void>
}

/** Returns the e-mail about news; undefined if there is nothing to write any more. */
export type FindNews = (context: NewsContext, batch: NewsBatch) => Promise<News | undefined>

/** Returns an e-mail with the same values for everybody. */
export const newsFor = <Kind extends MessageKind>(
  { writer, school, send }: NewsContext,
  email: Kind,
  values: Messages[Kind],
  isFor: News['isFor'],
): News => ({ email, isFor, write: (to) => send(writer, school, to, email, values) })
