import type { StoredRequest } from '../../database/tables/proposals.ts'
import type { Replayed, SealedRequest } from '../../engine/write/replay.ts'
import { plainText } from '../plainText.ts'
import { contentPart, type TextPart, type Texts } from '../texts.ts'
import type { AccountItem, AccountSection } from './accountPage.ts'
import { decisionSection, deedOf, effectsOf, type PageOfProposal, reasonOf } from './approvalSections.ts'
import { objectTypeOf } from './changeSentence.ts'
import { requestFacts } from './requestFacts.ts'
import { nameOf } from './requestRows.ts'

/** Returns the sections of the page on which a person decides about several requests, those about the same object together. */
export function proposalSections(texts: Texts, page: PageOfProposal): AccountSection[] {
  const { requests, replayed, stored, names } = page
  const now = new Map((replayed ?? []).map((one) => [one.position, one]))
  const groups = Map.groupBy(requests, ({ position }) => objectOf(texts, stored.get(position), names))
  const objects = [...groups].map(
    ([heading, group], index): AccountSection => ({
      id: `object-${index + 1}`,
      heading,
      items: group.map((request) => itemOf(texts, page, request, now.get(request.position))),
    }),
  )
  const boxes = requests.map(({ position }) => {
    const one = now.get(position)
    const isPossible = one?.now !== undefined
    const first = stored.get(position)
    return {
      name: `request_${position}`,
      id: `request-${position}`,
      label: `${position}. ${first ? deedOf(texts, first, names) : texts.text('approval.forgotten')}`,
      isTicked: isPossible,
      isDisabled: !isPossible,
      ...(one?.problem && { hint: texts.text('approval.impossible') }),
    }
  })
  const introduction: AccountSection = {
    id: 'request',
    heading: texts.text('approval.what'),
    paragraphs: [texts.parts('approval.asks', { app: page.app }), texts.parts('approval.choose', {})],
  }
  return [introduction, ...objects, decisionSection(texts, page, boxes)]
}

/** Returns the object of a request as a heading: “The course “Clay From Scratch””. */
function objectOf(texts: Texts, stored: SealedRequest | undefined, names: PageOfProposal['names']): string {
  if (!stored) return texts.text('approval.object')
  const { type, id, label } = stored.effect.target
  const name = plainText(label ?? nameOf(texts, id === null ? undefined : names.get(id)), 100)
  const shown = texts.text(`activity.type_${objectTypeOf(type)}`)
  const heading = name === '' ? shown : texts.text('activity.labelled', { type: shown, label: name })
  return `${heading.charAt(0).toUpperCase()}${heading.slice(1)}`
}

function itemOf(
  texts: Texts,
  { stored, names, proposal, reader }: PageOfProposal,
  { position, status }: StoredRequest,
  replayed: Replayed | undefined,
): AccountItem {
  const first = stored.get(position)
  const title = `${position}. ${first ? deedOf(texts, first, names) : texts.text('approval.forgotten')}`
  const isLeftOut = status === 'left_out' || (!replayed && status === 'waiting' && proposal.status === 'submitted')
  return {
    id: `item-${position}`,
    title: [contentPart(title)],
    ...(isLeftOut
      ? { mark: texts.text('approval.left_out') }
      : replayed?.problem
        ? { mark: texts.text('approval.conflict'), isBad: true }
        : {}),
    lines: first ? [...reasonOf(texts, first), ...effectsOf(texts, first, { replayed, reader, objects: names })] : [],
    ...(first && { details: { summary: texts.text('approval.what'), lines: sentLines(texts, first, names) } }),
  }
}

/** Returns the members of a request as lines: “Title: Clay From Scratch”. */
function sentLines(texts: Texts, { content }: SealedRequest, objects: PageOfProposal['names']): TextPart[][] {
  const described = { isChange: false, isNew: false, choices: new Set<string>(), row: undefined, lists: [] }
  const { facts, details } = requestFacts(texts, content, { described, rows: { row: undefined, version: undefined, objects } })
  return [
    ...facts.map(({ label, value }) => [contentPart(`${label}: `), ...value]),
    ...details.flatMap(({ summary, paragraphs }) => [[contentPart(summary)], ...paragraphs]),
  ]
}
