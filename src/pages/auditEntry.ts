import type { Context } from 'koa'
import type { PageAuditEntry } from './pagesArguments.ts'

export function auditEntry(
  ctx: Context,
  event: PageAuditEntry['event'],
  more: Pick<PageAuditEntry, 'account_id' | 'client_id' | 'grant_id' | 'details'>,
): PageAuditEntry {
  const { school, requestId, address } = ctx.state
  return { school_id: school.id, event, request_id: requestId, address, ...more }
}
