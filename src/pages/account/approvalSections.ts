import { accountAppPath } from '../../base/accountPaths.ts'
import { hashedId } from '../../base/ids.ts'
import { isObject } from '../../base/text/jsonValue.ts'
import { isOpen, type OwnProposal, type Proposal, type StoredRequest } from '../../database/tables/proposals.ts'
import type { AskReasonOf, Effect } from '../../database/undo/effect.ts'
import { effectHash, type Replayed, type RequestContent, type SealedRequest } from '../../engine/write/replay.ts'
import { type ChangesReader, figuresOf, visibleChanges } from '../../engine/write/visibleChanges.ts'
import { type Change, changeOfEffect } from '../../school/account/appActivity.ts'
import { plainText } from '../plainText.ts'
import { type TextKey, type TextPart, type Texts, textOf, verbatim } from '../texts.ts'
import type { DescribedRequest } from './accountArguments.ts'
import type { AccountForm, AccountSection } from './accountPage.ts'
import { changeLines } from './changeLines.ts'
import { deedSentence, destructiveLabel, effectSentence, emailLines } from './changeSentence.ts'
import { requestFacts } from './requestFacts.ts'
import { idsIn, nameOf, type RequestRows } from './requestRows.ts'

export interface ShownRequest {
  content: RequestContent
  described: DescribedRequest
  rows: RequestRows
}

const reasons: Readonly<Record<AskReasonOf, TextKey>> = {
  irreversible: 'approval.irreversible',
  access: 'approval.access',
  outward: 'approval.outward',
  money: 'approval.money',
  many: 'approval.many',
  rule: 'approval.rule',
  second_person: 'approval.second_person',
}

/** The lines about fields of one request. */
const maxLines = 20

const states = { merged: 'approval.state_used', refused: 'approval.state_refused' } as const satisfies Record<string, TextKey>

export function stateOf(proposal: Proposal): TextKey {
  const { status } = proposal
  if (status === 'merged' || status === 'refused') return states[status]
  return isOpen(proposal) ? 'approval.state_pending' : 'approval.state_expired'
}

interface Question {
  proposal: Proposal
  first: SealedRequest | undefined
  request: ShownRequest | undefined
}

/** Returns what the app wants to do: a question while the person can decide. */
export function questionOf(texts: Texts, { proposal, first, request }: Question): string {
  const deed = first ? deedOf(texts, first, request?.rows.objects) : texts.text('approval.forgotten')
  return isOpen(proposal) ? texts.text('approval.question', { deed }) : deed
}

/** Returns what a request does: “Change the course “Clay From Scratch””. */
export function deedOf(texts: Texts, { effect, content }: SealedRequest, objects: RequestRows['objects'] = new Map()): string {
  const body = isObject(content.body) ? content.body : {}
  const { email, role } = body
  const change = changeOfEffect(effect)
  if (change.operation === 'inviteStaff' && typeof email === 'string' && typeof role === 'string')
    return texts.text('approval.invite', { email: plainText(email, 200), role: texts.choice(role) })
  return textOf(deedSentence(texts, change, objectName(texts, change, { content, objects })))
}

function objectName(
  texts: Texts,
  { resource, action }: Change,
  { content, objects }: { content: RequestContent; objects: RequestRows['objects'] },
): string | undefined {
  const found = [resource.id ?? '', ...idsIn(Object.values(content.parameters)).toReversed()].map((id) => nameOf(texts, objects.get(id)))
  const own = isObject(content.body) && action === 'created' ? [content.body.title, content.body.name, content.body.email] : []
  const name = [...own, ...found].find((one) => typeof one === 'string' && one !== '')
  return typeof name === 'string' ? plainText(name, 200) : undefined
}

export interface ShownProposal {
  proposal: OwnProposal
  requests: readonly StoredRequest[]
  /** The stored parts of the requests, by their positions. */
  stored: ReadonlyMap<number, SealedRequest>
  /** The requests that the person chose, with what they change now; undefined if nobody can decide. */
  replayed: readonly Replayed[] | undefined
  /** The request of a proposal of one; otherwise what the requests name. */
  single: ShownRequest | undefined
  names: ReadonlyMap<string, Readonly<Record<string, unknown>>>
  reader: ChangesReader
}

export interface PageOfProposal extends ShownProposal {
  path: string
  app: string
}

/** Returns the sections of the page on which a person decides about one request: what the app sends, what happens, and the decision. */
export function approvalSections(texts: Texts, page: PageOfProposal): AccountSection[] {
  const { proposal, single, app, stored, replayed, reader } = page
  const first = stored.get(1)
  const { facts, details } = single ? requestFacts(texts, single.content, single) : { facts: [], details: [] }
  const what: AccountSection = {
    id: 'request',
    heading: texts.text('approval.what'),
    paragraphs: [
      texts.parts('approval.asks', { app }),
      ...reasonOf(texts, first),
      ...(single ? [] : [texts.parts('approval.unreadable', {})]),
    ],
    facts: [...facts, { label: texts.text('approval.when'), value: verbatim(texts, texts.moment(proposal.created_at)) }],
    details,
  }
  const effects: AccountSection = {
    id: 'effects',
    heading: texts.text('approval.effects'),
    paragraphs: [
      ...(first
        ? effectsOf(texts, first, {
            ...{ replayed: replayed?.[0], reader, objects: single?.rows.objects },
            isBrief: single?.described.isChange,
          })
        : []),
      ...(first?.reason ? [texts.parts(reasons[first.reason], {})] : []),
    ],
  }
  return [what, effects, decisionSection(texts, page)]
}

/** Returns the words of the app about why it makes a request. */
export function reasonOf(texts: Texts, stored: SealedRequest | undefined): TextPart[][] {
  const words = stored?.content.reason
  return words === undefined ? [] : [texts.parts('activity.reason', { reason: plainText(words, 200) })]
}

interface ShownEffects {
  replayed: Replayed | undefined
  reader: ChangesReader
  objects: RequestRows['objects'] | undefined
  /** True if former and new values are shown elsewhere. */
  isBrief?: boolean | undefined
}

/** Returns what a request changes now, and what it would have changed when the app sent it, if that differs. */
export function effectsOf(
  texts: Texts,
  { effect: former }: SealedRequest,
  { replayed, reader, objects, isBrief }: ShownEffects,
): TextPart[][] {
  if (replayed?.problem) return [texts.parts('approval.impossible', {})]
  const effect = replayed?.now?.entry?.effect ?? former
  const names = new Map([...(objects ?? [])].map(([id, row]) => [id, nameOf(texts, row)]))
  const lines = ({ changes }: Effect) => changeLines(texts, visibleChanges(changes, reader), { names, limit: maxLines })
  const [before, current] = [lines(former), lines(effect)]
  const isSame = JSON.stringify(current) === JSON.stringify(before)
  const { emails, emails_due_at: due } = figuresOf(effect)
  return [
    ...effect.affected.map((one) => [...effectSentence(texts, one), ...texts.parts('approval.full_stop', {})]),
    ...(isBrief && isSame ? [] : current),
    ...(isSame ? [] : [texts.parts('approval.differs', {}), ...before]),
    ...emailLines(texts, emails, effect.undoDays > 0 ? due : null),
    effect.undoDays > 0 ? texts.countedParts('approval.undo', effect.undoDays) : texts.parts('approval.no_undo', {}),
  ]
}

/** Returns the decision: the forms while the person can decide. */
export function decisionSection(
  texts: Texts,
  { proposal, replayed, stored, path, app }: PageOfProposal,
  boxes?: AccountForm['boxes'],
): AccountSection {
  const section = { id: 'decision', heading: texts.text('approval.decision') }
  const links = [{ href: accountAppPath(hashedId('aut', proposal.grant_id)), label: texts.text('approval.activity') }]
  if (isOpen(proposal) && !proposal.may_decide) return { ...section, paragraphs: [texts.parts('approval.second_decides', {})], links }
  if (!isOpen(proposal)) return { ...section, paragraphs: [texts.parts(stateOf(proposal), {})], links }
  const possible = (replayed ?? []).filter(({ problem }) => !problem)
  const first = proposal.name === null ? stored.get(1) : undefined
  const destructive = first && destructiveLabel(changeOfEffect(first.effect))
  const form = (decision: 'once' | 'refuse' | 'pause', submit: TextKey, more: Partial<AccountForm> = {}): AccountForm => ({
    action: path,
    submit: texts.text(submit),
    ...more,
    hidden: [{ name: 'decision', value: decision }, ...(more.hidden ?? [])],
  })
  const agree = form('once', destructive ?? (first ? 'approval.allow_once' : 'approval.merge'), {
    kind: destructive ? 'main danger' : 'main',
    hidden: [
      { name: 'offered', value: possible.map(({ position }) => position).join(',') },
      { name: 'seen', value: effectHash(possible) },
    ],
    ...(boxes && { boxes }),
  })
  const canAgree = possible.length > 0
  return {
    ...section,
    paragraphs: [canAgree ? texts.parts('approval.once_explanation', { app }) : texts.parts('approval.stale', {})],
    facts: [{ label: texts.text('approval.decide_until'), value: verbatim(texts, texts.moment(proposal.expires_at)) }],
    isDecision: true,
    forms: [...(canAgree ? [agree] : []), form('refuse', 'approval.refuse')],
    details: [
      {
        summary: texts.text('approval.more'),
        paragraphs: [texts.parts('activity.pause_explanation', {})],
        forms: [form('pause', 'approval.refuse_and_pause', { kind: 'danger' })],
      },
    ],
    links,
  }
}
