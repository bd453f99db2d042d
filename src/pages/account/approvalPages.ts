import type { Context, Middleware } from 'koa'
import { changeOf } from '../../domain/accounts/appActivity.ts'
import { connectedApps, ownGrantsTo } from '../../domain/accounts/connectedApps.ts'
import { type Decision, decideApproval, findOwnApproval, listApprovals, type OwnApproval } from '../../domain/accounts/ownApprovals.ts'
import { namesOfObjects } from '../../domain/administration/namesOfObjects.ts'
import { fromPublicId, hashedId, toPublicId } from '../../lib/ids.ts'
import { ownMember } from '../../lib/ownMember.ts'
import { accountAppPath, accountApprovalPath, accountPaths } from '../../policy/accountPaths.ts'
import type { ApprovalSummary } from '../../policy/approvalSummary.ts'
import { type Approval, maxKindUses } from '../../store/approvals.ts'
import { appNames } from '../appNames.ts'
import { auditEntry } from '../auditEntry.ts'
import { submittedForm } from '../formBody.ts'
import { pageProblem } from '../pageProblem.ts'
import { plainText } from '../plainText.ts'
import { seeOther } from '../seeOther.ts'
import type { TextKey, TextPart, Texts } from '../texts.ts'
import type { AccountArguments } from './accountArguments.ts'
import type { AccountItem, AccountSection } from './accountPage.ts'
import { changeSentence, objectTypeOf } from './changeSentence.ts'
import type { OwnPages } from './ownPage.ts'
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

const notices = {
  once: 'approval.done_once',
  kind: 'approval.done_kind',
  refuse: 'approval.done_refused',
  pause: 'approval.done_paused',
  late: 'approval.done_late',
} as const satisfies Record<string, TextKey>

const reasons: Readonly<Record<ApprovalSummary['reason'], TextKey>> = {
  irreversible: 'approval.irreversible',
  access: 'approval.access',
  outward: 'approval.outward',
  money: 'approval.money',
  many: 'approval.many',
}

const effects = { created: 'approval.created', deleted: 'approval.deleted' } as const

export function approvalPages(args: AccountArguments, pages: OwnPages): ApprovalPages {
  const databaseOf = (ctx: Context) => args.databaseOf(ctx.state.school.id)

  async function appsOf(ctx: Context, accountId: string) {
    const { apps } = await connectedApps(databaseOf(ctx).kysely, ctx.state.school.id, { accountId, limit: maxApps })
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

  return {
    async list(ctx) {
      const person = await signedInOrAway(ctx, args, accountPaths.approvals)
      if (!person) return
      const { accountId } = person
      const found = await listApprovals(databaseOf(ctx).kysely, { accountId, limit: shown })
      const nameOf = await appsOf(ctx, accountId)
      await pages.show(ctx, person, { path: accountPaths.approvals, section: accountPaths.apps, notices: {} }, ({ texts }) => {
        const isWaiting = ({ status, is_expired }: Approval) => status === 'pending' && !is_expired
        const items = (isPending: boolean): AccountItem[] =>
          found.filter((one) => isWaiting(one) === isPending).map((one) => itemOf(texts, one, nameOf(texts, one.grant_id)))
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
      const role = (await args.findPerson(ctx.state.school.id, accountId))?.role
      const summary = approval.summary
      const ids = changeOf(summary)?.resource.id ?? ''
      const seesPeople = role === 'owner' || role === 'admin'
      const names = seesPeople ? await namesOfObjects(databaseOf(ctx).kysely, [ids]) : new Map<string, string>()
      await pages.show(ctx, person, { path, section: accountPaths.apps, notices }, ({ texts }) => {
        const app = nameOf(texts, approval.grant_id)
        const title = texts.text('approval.title', { app })
        return {
          title: { text: title },
          heading: title,
          back: { href: accountPaths.approvals, label: texts.text('approval.back') },
          sections: [requestSection(texts, { approval, summary, path, name: names.get(ids), app })],
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
      const grants = await ownGrantsTo(databaseOf(ctx).kysely, school.id, { accountId, clientId })
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

function sentenceOf(texts: Texts, summary: ApprovalSummary, name?: string): TextPart[] {
  const change = changeOf(summary)
  return change ? changeSentence(texts, change, name) : texts.parts('school.verbatim', { text: texts.eventSentence(summary.event) ?? '' })
}

function itemOf(texts: Texts, approval: OwnApproval, app: string): AccountItem {
  const id = toPublicId('apr', approval.id)
  return {
    id,
    title: sentenceOf(texts, approval.summary),
    lines: [texts.parts('approval.asked', { app, date: texts.moment(approval.created_at) }), texts.parts(stateOf(approval), {})],
    links: [{ href: accountApprovalPath(id), label: texts.text('approval.open') }],
  }
}

function stateOf({ status, is_expired, is_kind }: Approval): TextKey {
  if (is_kind) return 'approval.state_kind'
  if (status === 'used') return 'approval.state_used'
  if (status === 'refused') return 'approval.state_refused'
  if (is_expired) return 'approval.state_expired'
  if (status === 'pending') return 'approval.state_pending'
  return 'approval.state_approved'
}

interface Request {
  approval: OwnApproval
  summary: ApprovalSummary
  path: string
  /** The current name of the person whom the request is about, for readers who see everybody. */
  name: string | undefined
  app: string
}

function requestSection(texts: Texts, { approval, summary, path, name, app }: Request): AccountSection {
  const { affected, emails, undo_days: days, reason } = summary
  const words = changeOf(summary)?.reason
  const objects = affected.map(({ type, action, count }) =>
    texts.parts(ownMember<TextKey>(effects, action) ?? 'approval.changed', {
      object: texts.counted(`activity.count_${objectTypeOf(type)}`, count),
    }),
  )
  const isOpen = approval.status === 'pending' && !approval.is_expired
  const form = (decision: Decision | 'pause', submit: TextKey, kind?: 'main' | 'danger') => ({
    action: path,
    hidden: [{ name: 'decision', value: decision }],
    submit: texts.text(submit),
    ...(kind && { kind }),
  })
  return {
    id: 'request',
    heading: texts.text('approval.what'),
    paragraphs: [
      texts.parts('approval.sentence', { app, sentence: textOf(sentenceOf(texts, summary, name)) }),
      ...(words == null ? [] : [texts.parts('activity.reason', { reason: plainText(words, 200) })]),
      ...objects,
      ...(emails > 0 ? [texts.countedParts('approval.emails', emails)] : []),
      texts.parts(reasons[reason], {}),
      days > 0 ? texts.countedParts('approval.undo', days) : texts.parts('approval.no_undo', {}),
      ...(approval.kind_ends_at ? [texts.countedParts('approval.kind_uses', approval.kind_uses, { most: maxKindUses })] : []),
      ...(isOpen ? [texts.parts('approval.once_explanation', { app })] : [texts.parts(stateOf(approval), {})]),
    ],
    facts: [{ label: texts.text('approval.when'), value: texts.parts('school.verbatim', { text: texts.moment(approval.created_at) }) }],
    forms: isOpen
      ? [
          form('once', 'approval.allow_once', 'main'),
          ...(approval.kind === null ? [] : [form('kind', 'approval.allow_kind')]),
          form('refuse', 'approval.refuse'),
          form('pause', 'approval.refuse_and_pause', 'danger'),
        ]
      : [],
    links: [{ href: accountAppPath(hashedId('aut', approval.grant_id)), label: texts.text('approval.activity') }],
  }
}
