import { accountPaths } from '../../base/accountPaths.ts'
import type { SendEmail } from '../../base/mail/mail.ts'
import type { School } from '../../base/school.ts'
import { isInvalidHost } from '../../base/text/emailAddress.ts'
import type { DatabaseOf, SchoolReader } from '../../database/connection/database.ts'
import type { Notice, NoticeKind } from '../../database/outbox/accountNotice.ts'
import type { EmailFacts } from '../../database/outbox/sendMessage.ts'
import { pageUrl } from './createMailedLink.ts'

export interface NoticeArguments {
  databaseOf: DatabaseOf
  send: SendEmail
  /** Counts an e-mail. Returns false if the account has received too many of this kind. */
  isAllowed(school: School, notice: Pick<Notice, 'account_id' | 'kind'>): Promise<boolean>
}

/**
 * Sends a notice to the current address of the account. Sends nothing to an account that was disabled or deleted. Only the first attempt is
 * counted.
 */
export type SendNotice = (school: School, notice: Notice, attempt: { isFirst: boolean }) => Promise<void>

export function createAccountNotices({ databaseOf, send, isAllowed }: NoticeArguments): SendNotice {
  return async (school, notice, { isFirst }) => {
    const { account_id: accountId, kind, at, from, values } = notice
    const { kysely } = databaseOf(school.id)
    const account = await noticeRecipient(kysely, accountId)
    if (!account || isInvalidHost(account.email) || (isFirst && !(await isAllowed(school, notice)))) return
    const facts: EmailFacts = { at, time_zone: account.time_zone, ...(from && { from }) }
    const to = { email: account.email, locales: [account.locale] }
    await send<NoticeKind>(school, to, kind, { ...values, ...accountLinks(school), facts })
  }
}

export const accountLinks = (school: School) => ({
  reset: pageUrl(school, accountPaths.forgottenPassword),
  apps: pageUrl(school, accountPaths.apps),
  security: pageUrl(school, accountPaths.security),
})

/** Returns where and how an account receives e-mails. Without a time zone of the account, that of the school applies. */
async function noticeRecipient(
  database: SchoolReader,
  accountId: string,
): Promise<{ email: string; locale: string | null; time_zone: string } | undefined> {
  return database
    .selectFrom('account')
    .innerJoin('school', 'school.id', 'account.school_id')
    .select(['account.email', 'account.locale'])
    .select(({ fn }) => fn.coalesce('account.time_zone', 'school.time_zone').as('time_zone'))
    .where('account.id', '=', accountId)
    .where('account.disabled_at', 'is', null)
    .executeTakeFirst()
}
