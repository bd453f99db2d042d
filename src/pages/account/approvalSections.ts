import { accountAppPath } from '../../base/accountPaths.ts'
import { hashedId } from '../../base/ids.ts'
import { isObject } from '../../base/text/jsonValue.ts'
import type { ApprovalSummary, RequestContent } from '../../database/tables/approvalSummary.ts'
import type { Approval } from '../../database/tables/approvals.ts'
import { type Decision, maxKindUses, type usesOfApproval } from '../../identity/accounts/ownApprovals.ts'
import { type Change, changeOf } from '../../school/account/appActivity.ts'
import { plainText } from '../plainText.ts'
import { type TextKey, type TextPart, type Texts, textOf, verbatim } from '../texts.ts'
import type { DescribedRequest } from './accountArguments.ts'
import type { AccountForm, AccountSection } from './accountPage.ts'
import { changeSentence, deedSentence, destructiveLabel, effectSentence } from './changeSentence.ts'
import { requestFacts } from './requestFacts.ts'
import { idsIn, nameOf, type RequestRows } from './requestRows.ts'

export interface ShownRequest {
  content: RequestContent
  described: DescribedRequest
  rows: RequestRows
}

const reasons: Readonly<Record<ApprovalSummary['reason'], TextKey>> = {
  irreversible: 'approval.irreversible',
  access: 'approval.access',
  outward: 'approval.outward',
  money: 'approval.money',
  many: 'approval.many',
}

const isOpen = ({ status, is_expired }: Approval): boolean => status === 'pending' && !is_expired

export function stateOf({ status, is_expired, is_kind }: Approval): TextKey {
  if (is_kind) return 'approval.state_kind'
  if (status === 'used') return 'approval.state_used'
  if (status === 'refused') return 'approval.state_refused'
  if (is_expired) return 'approval.state_expired'
  return status === 'pending' ? 'approval.state_pending' : 'approval.state_approved'
}

/** Returns what the app wants to do: a question while the person can decide. */
export function questionOf(texts: Texts, approval: Approval, request: ShownRequest | undefined): string {
  const deed = deedOf(texts, approval, request)
  return isOpen(approval) ? texts.text('approval.question', { deed }) : deed
}

function deedOf(texts: Texts, { summary, operation }: Approval, request: ShownRequest | undefined): string {
  const body = isObject(request?.content.body) ? request.content.body : {}
  const { email, role } = body
  if (operation === 'inviteStaff' && typeof email === 'string' && typeof role === 'string')
    return texts.text('approval.invite', { email: plainText(email, 200), role: texts.choice(role) })
  const change = changeOf(summary)
  if (!change) return texts.text('approval.do_undone')
  return textOf(deedSentence(texts, change, objectName(texts, change, request)))
}

function objectName(texts: Texts, { resource }: Change, request: ShownRequest | undefined): string | undefined {
  if (!request) return undefined
  const { content, described, rows } = request
  const found = [resource.id ?? '', ...idsIn(Object.values(content.parameters)).toReversed()].map((id) =>
    nameOf(texts, rows.objects.get(id)),
  )
  const own = isObject(content.body) && described.isNew ? [content.body.title, content.body.name, content.body.email] : []
  const name = [...own, ...found].find((one) => typeof one === 'string' && one !== '')
  return name === undefined ? undefined : plainText(name, 200)
}

interface Shown {
  approval: Approval
  request: ShownRequest | undefined
  uses: Awaited<ReturnType<typeof usesOfApproval>>
  path: string
  app: string
}

/** Returns the sections of the page on which a person decides: what the app sends, what happens, and the decision. */
export function approvalSections(texts: Texts, shown: Shown): AccountSection[] {
  const { approval, request, uses, app } = shown
  const words = changeOf(approval.summary)?.reason
  const { facts, details } = request ? requestFacts(texts, request.content, request) : { facts: [], details: [] }
  const what: AccountSection = {
    id: 'request',
    heading: texts.text('approval.what'),
    paragraphs: [
      texts.parts('approval.asks', { app }),
      ...(words == null ? [] : [texts.parts('activity.reason', { reason: plainText(words, 200) })]),
      ...(request ? [] : [texts.parts('approval.unreadable', {})]),
    ],
    facts: [...facts, { label: texts.text('approval.when'), value: verbatim(texts, texts.moment(approval.created_at)) }],
    details,
  }
  return [what, effectsSection(texts, approval), decisionSection(texts, shown), ...(uses.length > 0 ? [usesSection(texts, uses)] : [])]
}

function effectsSection(texts: Texts, { summary }: Approval): AccountSection {
  const { emails, undo_days: days, reason } = summary
  return {
    id: 'effects',
    heading: texts.text('approval.effects'),
    paragraphs: [
      ...effectsOf(texts, summary),
      ...(emails > 0 ? [texts.countedParts('approval.emails', emails)] : []),
      days > 0 ? texts.countedParts('approval.undo', days) : texts.parts('approval.no_undo', {}),
      texts.parts(reasons[reason], {}),
    ],
  }
}

const effectsOf = (texts: Texts, { affected }: ApprovalSummary): TextPart[][] =>
  affected.map((one) => [...effectSentence(texts, one), ...texts.parts('approval.full_stop', {})])

function decisionSection(texts: Texts, { approval, request, path, app }: Shown): AccountSection {
  const { summary, kind, kind_ends_at: kindEnds, kind_uses: count, row_version: version } = approval
  const section = { id: 'decision', heading: texts.text('approval.decision') }
  const links = [{ href: accountAppPath(hashedId('aut', approval.grant_id)), label: texts.text('approval.activity') }]
  const used = kindEnds ? [texts.countedParts('approval.kind_uses', count, { most: maxKindUses })] : []
  if (!isOpen(approval)) return { ...section, paragraphs: [texts.parts(stateOf(approval), {}), ...used], links }
  const isStale = request?.rows.version !== undefined && version !== null && request.rows.version !== version
  const change = changeOf(summary)
  const destructive = change && destructiveLabel(change)
  const form = (decision: Decision | 'pause', submit: TextKey, look?: AccountForm['kind']): AccountForm => ({
    action: path,
    hidden: [{ name: 'decision', value: decision }],
    submit: texts.text(submit),
    ...(look && { kind: look }),
  })
  const canAllow = request !== undefined && !isStale
  const refuse = form('refuse', 'approval.refuse')
  return {
    ...section,
    paragraphs: canAllow ? [texts.parts('approval.once_explanation', { app })] : [texts.parts('approval.stale', {})],
    facts: [{ label: texts.text('approval.decide_until'), value: verbatim(texts, texts.moment(approval.expires_at)) }],
    isDecision: true,
    forms: canAllow ? [form('once', destructive ?? 'approval.allow_once', destructive ? 'main danger' : 'main'), refuse] : [refuse],
    details: [
      ...(canAllow && kind !== null
        ? [
            {
              summary: texts.text('approval.allow_kind'),
              paragraphs: [
                texts.parts('approval.kind_covers', { most: maxKindUses }),
                ...effectsOf(texts, summary),
                ...(summary.emails > 0 ? [texts.countedParts('approval.emails', summary.emails)] : []),
              ],
              forms: [form('kind', 'approval.allow_kind')],
            },
          ]
        : []),
      {
        summary: texts.text('approval.more'),
        paragraphs: [texts.parts('activity.pause_explanation', {})],
        forms: [form('pause', 'approval.refuse_and_pause', 'danger')],
      },
    ],
    links,
  }
}

const usesSection = (texts: Texts, uses: Shown['uses']): AccountSection => ({
  id: 'uses',
  heading: texts.text('approval.kind_uses_heading'),
  items: uses.map((entry) => {
    const change = changeOf(entry)
    return {
      id: entry.id,
      title: change ? changeSentence(texts, change) : verbatim(texts, texts.eventSentence(entry.event) ?? ''),
      lines: [texts.parts('approval.kind_used', { date: texts.moment(entry.at) })],
    }
  }),
})
