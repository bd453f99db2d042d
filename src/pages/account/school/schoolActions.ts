import type { Context, Middleware } from 'koa'
import { accountPaths, schoolAppPath } from '../../../base/accountPaths.ts'
import { Problem } from '../../../base/problem.ts'
import { auditEntry } from '../../auditEntry.ts'
import { submittedForm } from '../../formBody.ts'
import { pageProblem } from '../../pageProblem.ts'
import type { PageAuditEntry } from '../../pagesArguments.ts'
import { seeOther } from '../../seeOther.ts'
import type { AccountArguments, AdministeredClient } from '../accountArguments.ts'
import type { AccountPresenter } from '../accountPresenter.ts'
import { confirmedAdmin, requireOwner, type SchoolAdmin } from './schoolAdmin.ts'

export interface SchoolActions {
  endAccess: Middleware
  disable: Middleware
  enable: Middleware
  pause: Middleware
  continue: Middleware
  agree: Middleware
}

const [batch, most] = [200, 20_000]

export function schoolActions(args: AccountArguments, present: AccountPresenter): SchoolActions {
  const { administration } = args
  const record = (ctx: Context, event: PageAuditEntry['event'], admin: SchoolAdmin, client: AdministeredClient, details = {}) =>
    args.audit(auditEntry(ctx, event, { account_id: admin.accountId, client_id: client.id, details }))

  const listOf = (form: URLSearchParams): string =>
    form.get('list') === 'integrations' ? accountPaths.schoolIntegrations : accountPaths.school

  /** Runs an action on the client that the form names, and leads to a page: by default to the list that the form belongs to. */
  const onClient =
    (
      done: string,
      act: (ctx: Context, admin: SchoolAdmin, client: AdministeredClient) => Promise<void>,
      pageOf: (form: URLSearchParams) => string = listOf,
    ): Middleware =>
    async (ctx: Context) => {
      const form = submittedForm(ctx)
      const page = pageOf(form)
      const admin = await confirmedAdmin(ctx, args, { page, present })
      if (!admin) return
      const client = await administration.find(ctx.state.school.id, form.get('client') ?? '')
      // The same error for clients of other schools and unknown ids.
      if (!client) throw pageProblem('nothing_here', 'not_found', 'There is no such app.')
      await act(ctx, admin, client)
      seeOther(ctx, `${page}?done=${done}`)
    }

  const pausing = (isPaused: boolean): Middleware =>
    onClient(
      isPaused ? 'paused' : 'continued',
      async (ctx, admin, client) => {
        const isChanged = await administration.pause(ctx.state.school.id, client.id, isPaused)
        if (isChanged) await record(ctx, isPaused ? 'school.app_paused' : 'school.app_continued', admin, client)
      },
      (form) => schoolAppPath(form.get('client') ?? ''),
    )

  return {
    pause: pausing(true),
    continue: pausing(false),

    agree: onClient('agreed', async (ctx, admin, client) => {
      requireOwner(admin)
      if (await administration.agree(ctx.state.school.id, client.id)) await record(ctx, 'school.app_agreed', admin, client)
    }),

    endAccess: onClient('ended', async (ctx, admin, client) => {
      const { school } = ctx.state
      let ended = 0
      for (;;) {
        const grants = await administration.grantsOf(school.id, { clientId: client.id, limit: batch })
        if (grants.length === 0) break
        for (const { id, account_id } of grants) {
          await args.endGrant(school.id, id)
          const details = { by: 'school', staff: admin.accountId }
          await args.audit(auditEntry(ctx, 'grant.revoked', { account_id, client_id: client.id, grant_id: id, details }))
        }
        ended += grants.length
        if (ended > most) throw new Problem('temporarily_unavailable', { headers: { 'Retry-After': '5' } })
      }
      await record(ctx, 'school.app_access_ended', admin, client, { grants: ended })
    }),

    disable: onClient('disabled', async (ctx, admin, client) => {
      if (client.disabledBy !== undefined) return
      await administration.disable(ctx.state.school.id, client.id)
      await record(ctx, 'school.app_disabled', admin, client)
    }),

    enable: onClient('enabled', async (ctx, admin, client) => {
      if (client.disabledBy === undefined) return
      // An operator or the school's file has disabled it, so the staff cannot enable it.
      if (client.disabledBy !== 'school') throw pageProblem('nothing_here', 'not_found', 'There is no such app.')
      await administration.enable(ctx.state.school.id, client.id)
      await record(ctx, 'school.app_enabled', admin, client)
    }),
  }
}
