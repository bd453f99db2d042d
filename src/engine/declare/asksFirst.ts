import type { AskReason } from '../../database/tables/approvalSummary.ts'
import type { Operation } from './operations.ts'

/** Returns why the person decides first about every request of an operation; undefined if that depends on how much it changes. */
export const asksFirstOf = (operation: Operation): AskReason | undefined =>
  'rules' in operation && 'asksFirst' in operation.rules ? operation.rules.asksFirst : undefined
