import type { Context, Middleware } from 'koa'
import { accountAppPath, accountApprovalPath, accountPaths } from '../../base/accountPaths.ts'
import { fromPublicId, hashedId, toPublicId } from '../../base/ids.ts'
import type { RequestContent } from '../../database/tables/approvalSummary.ts'
import type { Approval } from '../../database/tables/approvals.ts'
import { connectedApps, ownGrantsTo } from '../../identity/accounts/connectedApps.ts'
import {
  type Decision,
  decideApproval,
  findOwnApproval,
  listApprovals,
  type OwnApproval,
  usesOfApproval,
} from '../../identity/accounts/ownApprovals.ts'
import { appNames } from '../appNames.ts'
import { auditEntry } from '../auditEntry.ts'
import { submittedForm } from '../formBody.ts'
import { pageProblem } from '../pageProblem.ts'
import { seeOther } from '../seeOther.ts'
import type { TextKey, TextPart, Texts } from '../texts.ts'
import type { AccountArguments } from './accountArguments.ts'
import type { AccountItem, AccountSection } from './accountPage.ts'
import { approvalSections, questionOf, type ShownRequest, stateOf } from './approvalSections.ts'
import type { OwnPages } from './ownPage.ts'
import { readRequestRows } from './requestRows.ts'
import { signedInOrAway } from './signedInPerson.ts'

/** The pages on which a person decides about requests of their apps. Nothing else approves one. */
export interface ApprovalPages {
  list: Middleware
  show: Middleware
  decide: Middleware
  /** Lets an app ask first, or no longer. */
  setAsksFirst: Middleware
}

const [shown, maxApps] = [100, 500]
/** Later requests of the list are named by what is stored of them. */
const named = 10

const notices = {
  once: 'approval.done_once',
  kind: 'approval.done_kind',
  refuse: 'approval.done_refused',
  pause: 'approval.done_paused',
  late: 'approval.done_late',
} as const satisfies Record<string, TextKey>

export function approvalPages(args: AccountArguments, pages: OwnPages): ApprovalPages {
  const databaseOf = (ctx: Context) => args.databaseOf(ctx.state.school.id)

  async function appsOf(ctx: Context, accountId: string) {
    const { apps } = await connectedApps(databaseOf(ctx).kysely, { accountId, limit: maxApps, state: 'any' })
    return (texts: Texts, grantId: string): string => {
      const app = apps.find((one) => one.grantId === grantId)
      return app ? textOf(appNames(texts, apps)(app)) : texts.text('apps.nameless')
    }
  }

  /** Returns the approval of the address. The same error for those of other accounts, ended ones and unknown ids. */
  async function requested(ctx: Context, accountId: string): Promise<OwnApproval> {
    const id = fromPublicId('apr', String(ctx.params.id))
    const found = id === undefined ? undefined : await findOwnApproval(databaseOf(ctx).kysely, { accountId, id })
    if (!found) throw pageProblem('nothing_here', 'not_found', 'There is no such page.')
    return found
  }

  /** Returns the request with what it names; undefined if it is no longer stored, or its key is gone. */
  async function shownRequest(
    ctx: Context,
    accountId: string,
    { content: sealed, operation }: Approval,
  ): Promise<ShownRequest | undefined> {
    const text = sealed === null ? undefined : args.openApproval(sealed)
    const described = args.describeRequest(operation)
    if (text === undefined || !described) return undefined
    const content: RequestContent = JSON.parse(text)
    const role = (await args.findPerson(ctx.state.school.id, accountId))?.role
    const seesPeople = role === 'owner' || role === 'admin'
    return { content, described, rows: await readRequestRows(ctx, args, { accountId, seesPeople, content, described }) }
  }

  return {
    async list(ctx) {
      const person = await signedInOrAway(ctx, args, accountPaths.approvals)
      if (!person) return
      const { accountId } = person
      const found = await listApprovals(databaseOf(ctx).kysely, { accountId, limit: shown })
      const nameOf = await appsOf(ctx, accountId)
      const isWaiting = ({ status, is_expired }: Approval) => status === 'pending' && !is_expired
      const requests = new Map<string, ShownRequest | undefined>()
      for (const one of found.filter((approval, at) => isWaiting(approval) || at < named))
        requests.set(one.id, await shownRequest(ctx, accountId, one))
      await pages.show(ctx, person, { path: accountPaths.approvals, section: accountPaths.apps, notices: {} }, ({ texts }) => {
        const items = (isPending: boolean): AccountItem[] =>
          found
            .filter((one) => isWaiting(one) === isPending)
            .map((one) => itemOf(texts, one, { app: nameOf(texts, one.grant_id), isPending, request: requests.get(one.id) }))
        const section = (id: 'waiting' | 'decided', list: AccountItem[]): AccountSection => ({
          id,
          heading: texts.text(`approval.${id}`),
          paragraphs: list.length === 0 ? [texts.parts(`approval.${id}_none`, {})] : [],
          items: list,
        })
        return {
          title: 'approval.list_title',
          heading: texts.text('approval.list_title'),
          back: { href: accountPaths.apps, label: texts.text('activity.back') },
          introduction: texts.parts('approval.introduction', {}),
          sections: [section('waiting', items(true)), section('decided', items(false))],
        }
      })
    },

    async show(ctx) {
      const path = accountApprovalPath(String(ctx.params.id))
      const person = await signedInOrAway(ctx, args, path)
      if (!person) return
      const { accountId } = person
      const approval = await requested(ctx, accountId)
      const nameOf = await appsOf(ctx, accountId)
      const request = await shownRequest(ctx, accountId, approval)
      const uses = approval.kind_ends_at ? await usesOfApproval(databaseOf(ctx).kysely, approval) : []
      await pages.show(ctx, person, { path, section: accountPaths.apps, notices }, ({ texts }) => {
        const heading = questionOf(texts, approval, request)
        return {
          title: { text: heading },
          heading,
          back: { href: accountPaths.approvals, label: texts.text('approval.back') },
          sections: approvalSections(texts, { approval, request, uses, path, app: nameOf(texts, approval.grant_id) }),
        }
      })
    },

    async decide(ctx) {
      const { school } = ctx.state
      const path = accountApprovalPath(String(ctx.params.id))
      const person = await pages.confirmedOwner(ctx, path)
      if (!person) return
      const { accountId } = person
      const approval = await requested(ctx, accountId)
      const { grant_id: grantId, client_id: clientId, id, operation } = approval
      const answer = submittedForm(ctx).get('decision') ?? ''
      if (answer !== 'once' && answer !== 'kind' && answer !== 'refuse' && answer !== 'pause')
        throw pageProblem('foreign_account_form', 'invalid_request', 'decision must be once, kind, refuse or pause.')
      const decision: Decision = answer === 'pause' ? 'refuse' : answer
      const isDecided = await databaseOf(ctx).transaction((writer) => decideApproval(writer, { accountId, id, decision }))
      const about = { account_id: accountId, client_id: clientId, grant_id: grantId }
      if (isDecided) {
        const event = decision === 'refuse' ? 'approval.refused' : 'approval.approved'
        await args.audit(auditEntry(ctx, event, { ...about, details: { approval: toPublicId('apr', id), operation, decision } }))
      }
      if (answer === 'pause') {
        for (const paused of await args.pauseOwn(school.id, { accountId, clientId, isPaused: true }))
          await args.audit(auditEntry(ctx, 'grant.paused', { ...about, grant_id: paused }))
      }
      seeOther(ctx, `${path}?done=${isDecided || answer === 'pause' ? answer : 'late'}`)
    },

    async setAsksFirst(ctx) {
      const { school } = ctx.state
      const [clientId, asksFirst] = [submittedForm(ctx).get('client') ?? '', submittedForm(ctx).get('asks_first') === '1']
      const person = await pages.owner(ctx, accountPaths.apps)
      if (!person) return
      const { accountId } = person
      const grants = await ownGrantsTo(databaseOf(ctx).kysely, { accountId, clientId })
      // The same error for apps of other accounts and unknown ids.
      if (grants.length === 0) throw pageProblem('nothing_here', 'not_found', 'There is no such connected app.')
      const event = asksFirst ? 'grant.asks_first' : 'grant.asks_no_more'
      for (const id of await args.setAsksFirst(school.id, { accountId, clientId, asksFirst }))
        await args.audit(auditEntry(ctx, event, { account_id: accountId, client_id: clientId, grant_id: id }))
      const page = submittedForm(ctx).get('page') ?? ''
      const shownGrant = grants.find(({ id }) => hashedId('aut', id) === page) ?? grants[0]
      seeOther(ctx, `${accountAppPath(hashedId('aut', shownGrant?.id ?? ''))}?done=${asksFirst ? 'asks_first' : 'asks_no_more'}`)
    },
  }
}

const textOf = (parts: readonly TextPart[]): string => parts.map(({ text }) => text).join('')

function itemOf(
  texts: Texts,
  approval: OwnApproval,
  { app, isPending, request }: { app: string; isPending: boolean; request: ShownRequest | undefined },
): AccountItem {
  const id = toPublicId('apr', approval.id)
  return {
    id,
    title: texts.parts('school.verbatim', { text: questionOf(texts, approval, request) }),
    lines: [
      texts.parts('approval.asked', { app, date: texts.moment(approval.created_at) }),
      texts.parts(stateOf(approval), {}),
      ...(isPending ? [texts.parts('approval.until', { date: texts.moment(approval.expires_at) })] : []),
    ],
    links: [{ href: accountApprovalPath(id), label: texts.text('approval.open') }],
  }
}
