import type { Context } from 'koa'
import type { NoticeKind } from '../../database/outbox/accountNotice.ts'
import { auditEntry } from '../auditEntry.ts'
import type { PageAuditEntry, PageServices } from '../pagesArguments.ts'

/** The e-mail about each change, by its event in the audit trail. */
const notices = {
  'passkey.added': 'passkey_added',
  'passkey.removed': 'passkey_removed',
  'authenticator_app.set_up': 'authenticator_added',
  'authenticator_app.removed': 'authenticator_removed',
  'recovery_codes.renewed': 'recovery_codes_renewed',
} as const satisfies Partial<Record<PageAuditEntry['event'], NoticeKind>>

/** Records a change of a person's second factors, and e-mails the person. Everything that follows from such a change belongs here. */
export async function factorChanged(
  ctx: Context,
  { audit, notify }: Pick<PageServices, 'audit' | 'notify'>,
  { accountId, change, details }: { accountId: string; change: keyof typeof notices; details?: Record<string, unknown> },
): Promise<void> {
  await audit(auditEntry(ctx, change, { account_id: accountId, ...(details && { details }) }))
  await notify(ctx, accountId, notices[change], {})
}
