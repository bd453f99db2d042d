import type { Context, Middleware } from 'koa'
import { accountPaths } from '../../../base/accountPaths.ts'
import { readerOf } from '../../../engine/declare/permissionSentences.ts'
import { accountTyped, auditBatches, auditTrail, withChanges } from '../../../school/apps/auditTrail.ts'
import { appFigures, schoolApps } from '../../../school/apps/schoolApps.ts'
import { auditEntry } from '../../auditEntry.ts'
import type { TextKey, Texts } from '../../texts.ts'
import type { AccountArguments } from '../accountArguments.ts'
import type { AccountShell } from '../accountPage.ts'
import type { AccountPresenter } from '../accountPresenter.ts'
import type { OwnPages } from '../ownPage.ts'
import { auditCsv } from './auditCsv.ts'
import { type ReadAuditForm, readAuditForm } from './auditForm.ts'
import { adminOrAway, confirmedToDownload, type SchoolAdmin } from './schoolAdmin.ts'
import { type SchoolAppsPage, schoolAppsPage } from './schoolAppsPage.ts'
import { schoolAuditPage } from './schoolAuditPage.ts'

export interface SchoolPages {
  apps: Middleware
  integrations: Middleware
  audit: Middleware
  auditCsv: Middleware
}

const [appsOnPage, entriesOnPage, maxExported, maxPages] = [20, 50, 100_000, 10_000]

/** Confirmations by the value of the query parameter `done`. Nothing else of the query is shown. */
const notices: Record<string, TextKey> = {
  ended: 'school.done_ended',
  disabled: 'school.done_disabled',
  enabled: 'school.done_enabled',
  agreed: 'school.done_agreed',
  confirmed: 'confirm.done',
}

export function schoolPages(args: AccountArguments, present: AccountPresenter, pages: OwnPages): SchoolPages {
  const databaseOf = ({ id }: { id: string }) => args.databaseOf(id).kysely
  const shell = (ctx: Context, admin: SchoolAdmin, { texts, heading }: { texts: Texts; heading: TextKey }): Promise<AccountShell> => {
    const done = typeof ctx.query.done === 'string' && Object.hasOwn(notices, ctx.query.done) ? notices[ctx.query.done] : undefined
    const notice = done ? texts.text(done) : ''
    return pages.shell(ctx, admin, { path: accountPaths.school, heading: texts.text(heading), notice })
  }

  const showApps =
    (list: SchoolAppsPage['list'], path: string): Middleware =>
    async (ctx: Context) => {
      const { school } = ctx.state
      const admin = await adminOrAway(ctx, args, path)
      if (!admin) return
      const page = pageNumber(ctx)
      const { texts, schoolName } = await present.pageContext(ctx)
      const reader = readerOf(admin.role)
      const found = await schoolApps(databaseOf(school), { kind: list, page, size: appsOnPage })
      const showsPeople = (operation: string): boolean =>
        args.scopes.some(({ name, othersData }) => name === args.describe(operation)?.scope && othersData.includes(reader))
      const clientIds = found.apps.map(({ clientId }) => clientId)
      const content = schoolAppsPage(texts, {
        ...found,
        figuresOf: await appFigures(databaseOf(school), clientIds, showsPeople),
        list,
        page,
        schoolName,
        scopes: args.scopes,
        reader,
      })
      const context = await shell(ctx, admin, { texts, heading: list === 'connected' ? 'school.apps' : 'school.integrations' })
      await present.show(ctx, 'account-school', { title: texts.text('school.title'), ...context, ...content })
    }

  const readFilter = async (ctx: Context): Promise<ReadAuditForm> => {
    const read = readAuditForm(ctx, (await present.pageContext(ctx)).texts.timeZone)
    if (read.form.person === '') return read
    const accountId = await accountTyped(databaseOf(ctx.state.school), read.form.person)
    if (accountId !== undefined) return { ...read, filter: { ...read.filter, accountId } }
    return { ...read, errors: { ...read.errors, person: 'school.audit_no_person' } }
  }

  return {
    apps: showApps('connected', accountPaths.school),
    integrations: showApps('integrations', accountPaths.schoolIntegrations),

    async audit(ctx) {
      const { school } = ctx.state
      const admin = await adminOrAway(ctx, args, accountPaths.schoolAudit + ctx.search)
      if (!admin) return
      const read = await readFilter(ctx)
      const isWrong = Object.keys(read.errors).length > 0
      const entries = isWrong
        ? []
        : await auditTrail(databaseOf(school), read.filter, { before: entryId(ctx.query.before), limit: entriesOnPage + 1 })
      const shown = await withChanges(databaseOf(school), entries.slice(0, entriesOnPage))
      const { texts } = await present.pageContext(ctx)
      const content = schoolAuditPage(texts, {
        read,
        entries: shown,
        isMore: entries.length > entriesOnPage,
        maxExported,
      })
      if (isWrong) ctx.status = 400
      const context = await shell(ctx, admin, { texts, heading: 'school.audit' })
      await present.show(ctx, 'account-school-audit', { title: texts.text('school.audit'), ...context, ...content })
    },

    async auditCsv(ctx) {
      const { school } = ctx.state
      const admin = await confirmedToDownload(ctx, args, accountPaths.schoolAudit)
      if (!admin) return
      const { filter, errors, form } = await readFilter(ctx)
      if (Object.keys(errors).length > 0) return ctx.redirect(`${accountPaths.schoolAudit}${ctx.search}`)
      const details = Object.fromEntries(Object.entries(form).filter(([, value]) => value !== ''))
      await args.audit(auditEntry(ctx, 'school.audit_exported', { account_id: admin.accountId, details }))
      ctx.set('Cache-Control', 'no-store')
      ctx.attachment(`audit-${school.slug}-${new Date().toISOString().slice(0, 10)}.csv`)
      ctx.type = 'text/csv; charset=utf-8'
      ctx.body = auditCsv(auditBatches(databaseOf(school), filter, { limit: maxExported }))
    },
  }
}

function pageNumber({ query }: Context): number {
  const text = typeof query.page === 'string' ? query.page : '1'
  return /^[1-9]\d{0,4}$/.test(text) ? Math.min(Number(text), maxPages) : 1
}

const entryId = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value) ? value : undefined
