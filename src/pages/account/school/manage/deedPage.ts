import { hash } from '../../../../base/keyring.ts'
import { withQuery } from '../../../../base/text/withQuery.ts'
import { reportOf } from '../../../../engine/write/dryRunReport.ts'
import { activityId } from '../../../../school/undo/recordUndo.ts'
import { plainText } from '../../../plainText.ts'
import type { TextKey, TextPart, Texts } from '../../../texts.ts'
import type { AccountForm, AccountSection } from '../../accountPage.ts'
import { changeLines } from '../../changeLines.ts'
import { effectSentence, emailLines } from '../../changeSentence.ts'
import { confirmedOrAway } from '../../confirmation.ts'
import { accountField } from '../../ownFields.ts'
import { explained, type OwnError, type OwnPage, type OwnPageContext, type OwnRequest, Refused } from '../../ownPage.ts'
import { nameOf } from '../../requestRows.ts'
import { listAddress, noRow, rowAddress } from './addresses.ts'
import { callOf, type Deed, readDeed, resolveTyped, type Tried } from './deed.ts'
import { fieldOf, leavesOf } from './fieldForms.ts'
import { ofStaff } from './managed.ts'
import { errorsOf } from './problemTexts.ts'
import { promptSection } from './promptSection.ts'

declare module 'koa' {
  interface DefaultState {
    /** The form of this request, which was tried but not yet confirmed. */
    tried?: Tried
    candidates?: Deed['candidates']
  }
}

interface Shown {
  deed: Deed
  tried: Tried | undefined
  /** Why it is not possible now. */
  refusal: readonly OwnError[]
}

/** The lines about fields that the page shows. */
const shownLines = 40

/**
 * The page of an operation: its form, what it would change, and the button that does it. The effect is shown first: a form is executed only
 * if the effect of the same values was shown.
 */
export const deedPage: OwnPage<Shown> = {
  path: `${listAddress(':resource')}/:id/:deed`,
  access: ofStaff,
  async read(request) {
    const { ctx } = request
    const deed = await readDeed(request)
    const withFound = { ...deed, candidates: ctx.state.candidates ?? deed.candidates }
    const { tried } = ctx.state
    if (tried || ctx.method === 'POST' || !isImmediate(deed)) return { deed: withFound, tried, refusal: [] }
    try {
      return { deed, tried: await tryOut(request, deed, new URLSearchParams()), refusal: [] }
    } catch (error) {
      const { texts } = await request.pageContext()
      return { deed, tried: undefined, refusal: errorsOf(texts, explained(error), leavesOf(deed.fields)) }
    }
  },
  build: content,
  forms: { '': { run } },
}

/** True if there is nothing to fill in: the page shows the effect when it is opened. */
const isImmediate = ({ operation, fields }: Deed): boolean =>
  operation.kind !== 'update' && operation.kind !== 'create' && !Object.values(fields).some(({ isRequired }) => isRequired)

/** Names the values whose effect a page has shown. */
const sealOf = ({ version }: Deed, call: ReturnType<typeof callOf>): string =>
  hash(JSON.stringify([call.parameters, call.body, version ?? '']))

async function tryOut({ perform }: OwnRequest, deed: Deed, sent: URLSearchParams): Promise<Tried> {
  const { parameters, ...call } = callOf(deed, sent)
  const { body } = await perform(deed.operation.id, parameters, { ...call, isDryRun: true })
  return { report: reportOf(body), body }
}

async function run(request: OwnRequest): Promise<string | undefined> {
  const { ctx, sent, services } = request
  const { texts } = await request.pageContext()
  const deed = await readDeed(request)
  ctx.state.candidates = await resolveTyped(request, deed)
  const call = callOf(deed, sent)
  const isSeen = sent.get('seen') === sealOf(deed, call)
  if (isSeen && deed.operation.isSensitive && !(await confirmedOrAway(ctx, services, `${request.path}?done=confirmed`))) return undefined
  if (deed.operation.kind === 'update' && Object.keys(call.body).length === 0) {
    if (sent.has('seen')) return withQuery(back(deed, request), { done: 'done' })
    throw new Refused(422, { text: texts.text('manage.unchanged') })
  }
  try {
    if (isSeen) return await perform(request, deed, call)
    ctx.state.tried = await tryOut(request, deed, sent)
  } catch (error) {
    const problem = explained(error)
    throw new Refused(problem.status, ...errorsOf(texts, problem, leavesOf(deed.fields)))
  }
  throw new Refused(200)
}

async function perform(request: OwnRequest, deed: Deed, { parameters, ...call }: ReturnType<typeof callOf>): Promise<string> {
  const { texts } = await request.pageContext()
  const { resource, operation } = deed
  const key = request.sent.get('once') ?? undefined
  const answer = await request.perform(operation.id, parameters, { ...call, key, language: texts.language })
  const { id } = answer.body ?? {}
  const entry = answer.entry?.effect && answer.entry.effect.undoDays > 0 ? activityId(answer.entry.id) : undefined
  const isNew = typeof id === 'string' && id.startsWith(`${resource.idPrefix}_`)
  const page =
    operation.kind === 'remove'
      ? listAddress(resource.name)
      : isNew && !resource.isSingleton
        ? rowAddress(resource.name, id)
        : back(deed, request)
  return withQuery(page, { done: 'done', entry })
}

const back = ({ resource, operation, row }: Deed, { params }: OwnRequest): string =>
  operation.isOnCollection
    ? listAddress(resource.name)
    : rowAddress(resource.name, resource.isSingleton ? noRow : String(row?.id ?? params.id))

function content(context: OwnPageContext, { deed, tried, refusal }: Shown) {
  const { texts, request, errorOf, form } = context
  const { resource, operation, group, row, version, fields, parts, filling, candidates } = deed
  const sent = request.ctx.method === 'POST' && request.ctx.status !== 412 ? request.sent : undefined
  const list = texts.resource(resource.title, resource.name)
  const name = plainText(nameOf(texts, row), 160) || list
  const label = group === undefined ? texts.deed(operation.label, operation.id) : texts.text(`manage.group_${group}`)
  const leaves = leavesOf(fields)
  const seen = tried && sealOf(deed, callOf(deed, sent ?? new URLSearchParams()))
  const isDone = seen !== undefined
  const formSection: AccountSection = {
    id: 'form',
    heading: label,
    paragraphs: [
      ...refusal.map(({ text }) => texts.parts('manage.impossible', { reason: text })),
      ...(hasMore(deed) && row ? [texts.parts('manage.more_with_agent', {})] : []),
    ],
    forms:
      refusal.length > 0
        ? []
        : [
            form('', {
              hidden: { ...(version !== undefined && { version }), ...(seen !== undefined && { seen }) },
              fields: [
                ...parts.map(({ name: part, candidates: rows }) => partField(texts, part, rows, sent?.get(part) ?? undefined)),
                ...leaves.map((leaf) => fieldOf(texts, leaf, { filling, sent, errorOf, candidatesOf: (prefix) => candidates.get(prefix) })),
              ],
              submit: isDone ? (operation.kind === 'update' ? texts.text('manage.save') : label) : texts.text('manage.continue'),
              kind: operation.isDestructive && isDone ? 'main danger' : 'main',
            }),
          ],
  }
  const effect = tried ? [effectSection(texts, deed, tried)] : []
  return {
    title: { text: `${label}: ${name}` },
    heading: name,
    back: {
      href: back(deed, request),
      label: row === undefined || name === list ? list : texts.text('manage.back', { name }),
    },
    sections: [...effect, formSection, ...(hasMore(deed) && row ? [promptSection(texts, request, { resource, row })] : [])],
  }
}

/** True if the row has fields that no form shows. */
const hasMore = ({ operation, group }: Deed): boolean =>
  group === undefined &&
  (operation.kind === 'update' || operation.kind === 'create') &&
  Object.values(operation.fields).some(({ kind }) => kind === 'other')

const partField = (
  texts: Texts,
  name: string,
  rows: readonly { id: string; name: string }[],
  value: string | undefined,
): NonNullable<AccountForm['fields']>[number] =>
  accountField({
    ...{ name, type: 'select', label: texts.field(name), autocomplete: 'off' },
    groups: [{ label: '', options: rows.map((one) => ({ value: one.id, label: one.name, isSelected: one.id === value })) }],
  })

/** The effects of operations that do not show in changed fields. */
const explanations: Readonly<Record<string, TextKey>> = { allowApp: 'school.allowed_effect', disallowApp: 'school.allowed_stop_effect' }

/** Shows what would change, who gets an e-mail, whether it can be taken back, and long texts as they would look. */
function effectSection(texts: Texts, { row, operation }: Deed, { report, body }: Tried): AccountSection {
  const { changes, affected, emails, emails_due_at: due, undo_days: days } = report
  const subject = row === undefined ? undefined : String(row.id)
  const lines = changeLines(texts, changes, { subject, limit: shownLines })
  const html = changes.flatMap(({ id, fields }) =>
    id === subject || row === undefined
      ? fields.flatMap(({ field }) => (typeof body[`${field}_html`] === 'string' ? [String(body[`${field}_html`])] : []))
      : [],
  )
  const sentences: TextPart[][] = lines.length > 0 ? [] : affected.map((one) => effectSentence(texts, one))
  const explanation = explanations[operation.id]
  const nothing = lines.length + sentences.length === 0 ? [texts.parts('manage.no_effect', {})] : []
  return {
    id: 'effect',
    heading: texts.text('manage.effect'),
    paragraphs: [
      ...(explanation ? [texts.parts(explanation, {})] : []),
      ...lines,
      ...sentences,
      ...nothing,
      ...emailLines(texts, emails, days > 0 ? due : null),
      days > 0 ? texts.countedParts('manage.undo_days', days) : texts.parts('manage.no_undo', {}),
    ],
    ...(html.length > 0 && { html: html.join('') }),
  }
}
