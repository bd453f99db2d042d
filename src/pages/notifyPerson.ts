import type { Context } from 'koa'
import type { Log } from '../base/log/log.ts'
import { networkKey } from '../base/net/networkKey.ts'
import { browserName } from '../base/text/browserName.ts'
import type { DatabaseOf } from '../database/connection/database.ts'
import type { Notice, NoticeKind, NoticeValues } from '../database/outbox/accountNotice.ts'
import type { Defer } from '../database/outbox/deferredWork.ts'
import { quotedName } from '../database/outbox/sendMessage.ts'

/**
 * E-mails a person what this request did with their account, after the response. Never throws: a failure of the database is logged. The
 * e-mail names the time, the browser and the network of the request.
 */
export type NotifyPerson = <Kind extends NoticeKind>(
  ctx: Context,
  accountId: string,
  kind: Kind,
  values: NoticeValues<Kind>,
) => Promise<void>

export const createNotifyPerson =
  ({ databaseOf, defer, log }: { databaseOf: DatabaseOf; defer: Defer; log: Log }): NotifyPerson =>
  async (ctx, accountId, kind, values) => {
    const { school, requestId } = ctx.state
    const notice: Notice = { account_id: accountId, kind, at: new Date().toISOString(), from: requestOrigin(ctx), values }
    await defer(databaseOf(school.id).kysely, school.id, 'account_notice', notice).catch((error: unknown) => {
      log.error({ err: error, kind, request_id: requestId }, 'notice not stored')
    })
  }

/** Returns the browser and the network of a request, for an e-mail. The User-Agent header can contain any text. */
export function requestOrigin(ctx: Context): NonNullable<Notice['from']> {
  const { browser, system } = browserName(ctx.get('User-Agent'))
  return {
    ...(browser !== undefined && { browser: quotedName(browser) }),
    ...(system !== undefined && { system: quotedName(system) }),
    network: networkKey(ctx.state.address),
  }
}
