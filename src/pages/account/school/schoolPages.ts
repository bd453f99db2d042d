import type { Context } from 'koa'
import { accountPaths } from '../../../base/accountPaths.ts'
import { readerOf } from '../../../engine/declare/permissionSentences.ts'
import { accountTyped, auditBatches, auditTrail, withChanges } from '../../../school/apps/auditTrail.ts'
import { appFigures, schoolApps } from '../../../school/apps/schoolApps.ts'
import type { TextKey, Texts } from '../../texts.ts'
import type { AccountShell } from '../accountPage.ts'
import type { OwnPage, OwnRequest } from '../ownPage.ts'
import { shellOf } from '../showOwnPage.ts'
import { auditCsv } from './auditCsv.ts'
import { type ReadAuditForm, readAuditForm } from './auditForm.ts'
import { schoolActions } from './schoolActions.ts'
import { confirmedAdmin, ofAdmins } from './schoolAdmin.ts'
import { schoolAppsPage as appsContent, type SchoolAppsPage } from './schoolAppsPage.ts'
import { schoolAuditPage as auditContent } from './schoolAuditPage.ts'

const [appsOnPage, entriesOnPage, maxExported, maxPages] = [20, 50, 100_000, 10_000]

const notices = {
  ended: 'school.done_ended',
  disabled: 'school.done_disabled',
  enabled: 'school.done_enabled',
  agreed: 'school.done_agreed',
} as const

const shell = (request: OwnRequest, texts: Texts, heading: TextKey): Promise<AccountShell> =>
  shellOf(request, { section: request.path, heading: texts.text(heading), notices })

async function showApps(request: OwnRequest, list: SchoolAppsPage['list']): Promise<void> {
  const { ctx, services, reader } = request
  const page = pageNumber(ctx)
  const { texts, schoolName } = await request.pageContext()
  const person = readerOf(await request.role())
  const found = await schoolApps(reader, { kind: list, page, size: appsOnPage })
  const showsPeople = (operation: string): boolean =>
    services.scopes.some(({ name, othersData }) => name === services.describe(operation)?.scope && othersData.includes(person))
  const clientIds = found.apps.map(({ clientId }) => clientId)
  const content = appsContent(texts, {
    ...found,
    figuresOf: await appFigures(reader, clientIds, showsPeople),
    ...{ list, page, schoolName, scopes: services.scopes, reader: person },
  })
  const context = await shell(request, texts, list === 'connected' ? 'school.apps' : 'school.integrations')
  await services.present.show(ctx, 'account-school', { title: texts.text('school.title'), ...context, ...content })
}

/** The page of the apps that people of the school connected, and what owners and admins do about each app. */
export const schoolAppsPage: OwnPage<never> = {
  path: accountPaths.schoolApps,
  access: ofAdmins,
  show: (request) => showApps(request, 'connected'),
  forms: schoolActions,
}

export const schoolIntegrationsPage: OwnPage<never> = {
  path: accountPaths.schoolIntegrations,
  access: ofAdmins,
  show: (request) => showApps(request, 'integrations'),
}

async function readFilter({ ctx, reader, pageContext }: OwnRequest): Promise<ReadAuditForm> {
  const read = readAuditForm(ctx, (await pageContext()).texts.timeZone)
  if (read.form.person === '') return read
  const accountId = await accountTyped(reader, read.form.person)
  if (accountId !== undefined) return { ...read, filter: { ...read.filter, accountId } }
  return { ...read, errors: { ...read.errors, person: 'school.audit_no_person' } }
}

/** The page of the audit trail. */
export const schoolAuditPage: OwnPage<never> = {
  path: accountPaths.schoolAudit,
  access: ofAdmins,
  async show(request) {
    const { ctx, services, reader } = request
    const read = await readFilter(request)
    const isWrong = Object.keys(read.errors).length > 0
    const place = { before: entryId(ctx.query.before), limit: entriesOnPage + 1 }
    const entries = isWrong ? [] : await auditTrail(reader, read.filter, place)
    const shown = await withChanges(reader, entries.slice(0, entriesOnPage), { isStaff: true, sealing: services.undo })
    const { texts } = await request.pageContext()
    const content = auditContent(texts, { read, entries: shown, isMore: entries.length > entriesOnPage, maxExported })
    if (isWrong) ctx.status = 400
    const context = await shell(request, texts, 'school.audit')
    await services.present.show(ctx, 'account-school-audit', { title: texts.text('school.audit'), ...context, ...content })
  },
}

/** The audit trail as a file. */
export const schoolAuditFile: OwnPage<never> = {
  path: accountPaths.schoolAuditCsv,
  access: { ...ofAdmins, open: (ctx, services) => confirmedAdmin(ctx, services, accountPaths.schoolAudit) },
  async show(request) {
    const { ctx, school, reader } = request
    const { filter, errors, form } = await readFilter(request)
    if (Object.keys(errors).length > 0) return ctx.redirect(`${accountPaths.schoolAudit}${ctx.search}`)
    await request.audit('school.audit_exported', { details: Object.fromEntries(Object.entries(form).filter(([, value]) => value !== '')) })
    ctx.set('Cache-Control', 'no-store')
    ctx.attachment(`audit-${school.slug}-${new Date().toISOString().slice(0, 10)}.csv`)
    ctx.type = 'text/csv; charset=utf-8'
    ctx.body = auditCsv(auditBatches(reader, filter, { limit: maxExported }))
  },
}

function pageNumber({ query }: Context): number {
  const text = typeof query.page === 'string' ? query.page : '1'
  return /^[1-9]\d{0,4}$/.test(text) ? Math.min(Number(text), maxPages) : 1
}

const entryId = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value) ? value : undefined
