import { accountPaths } from '../../base/accountPaths.ts'
import { Problem } from '../../base/problem.ts'
import { ownMember } from '../../base/text/ownMember.ts'
import { withQuery } from '../../base/text/withQuery.ts'
import { reportOf } from '../../engine/write/dryRunReport.ts'
import type { ObjectChange } from '../../engine/write/visibleChanges.ts'
import { type UndoResult, undoResult } from '../../school/account/accountFields.ts'
import { plainText } from '../plainText.ts'
import type { TextKey, TextPart, Texts } from '../texts.ts'
import type { AccountSection } from './accountPage.ts'
import { changeLines, parsed } from './changeLines.ts'
import { objectTypeOf } from './changeSentence.ts'
import type { OwnPage, OwnPageContext, OwnRequest } from './ownPage.ts'
import { valueText } from './requestFacts.ts'

/** The result of a dry run. */
interface Tried {
  result: UndoResult | undefined
  /** Set if nothing can be taken back. */
  kept?: UndoResult['kept']
  changes?: readonly ObjectChange[]
  /** True if something was changed since, so that it stays. */
  hasConflict: boolean
  /** Why it is not possible. */
  refusal: TextKey | undefined
}

export const undoPath = (activityId: string): string => `${accountPaths.undo}/${activityId}`
export const undoSincePath = (activityId: string, everybody: boolean): string =>
  withQuery(`${undoPath(activityId)}/since`, { everybody: everybody ? '1' : undefined })

const problems = {
  changed_since: 'undo.changed_since',
  not_undoable: 'undo.not_undoable',
  resource_in_use: 'undo.in_use',
  access_denied: 'undo.not_allowed',
} as const

const notices = { done: 'undo.done', part: 'undo.part' } as const

/** The page on which a person takes back what one request changed. */
export const undoPage: OwnPage<Tried> = {
  path: `${accountPaths.undo}/:id`,
  notices,
  read: (request) => tried(request, 'undoActivity', { id: request.params.id }),
  build: (context, shown) => content(context, shown, { explanation: 'undo.explanation', hidden: {} }),
  forms: {
    '': {
      operation: 'undoActivity',
      parameters: ({ params }) => ({ id: params.id }),
      body: (form) => ({ conflicts: conflictsIn(form) }),
      done: 'done',
      problems,
    },
  },
}

/** The page on which a person takes back what an app did since one of its requests. */
export const undoSincePage: OwnPage<Tried> = {
  path: `${accountPaths.undo}/:id/since`,
  notices,
  read: (request) => tried(request, 'undoActivities', {}, bodyOf(new URLSearchParams(request.ctx.querystring), request)),
  build(context, shown) {
    const { everybody, before } = context.request.ctx.query
    const hidden = { ...(everybody === '1' && { everybody: '1' }), ...(typeof before === 'string' && { before }) }
    return content(context, shown, { explanation: 'undo.since_explanation', hidden })
  },
  forms: {
    '': {
      operation: 'undoActivities',
      body: (form, request) => ({ ...bodyOf(form, request), conflicts: conflictsIn(form) }),
      done({ body: { next } }, { path, ctx }) {
        const everybody = new URLSearchParams(ctx.querystring).get('everybody') ?? undefined
        return withQuery(path, next === null ? { done: 'done', everybody } : { done: 'part', before: next, everybody })
      },
      problems,
    },
  },
}

/** True for an error that says that a part of it stays, so that the rest may be taken back. */
const leavesRest = (code: string): boolean => code === 'changed_since' || code === 'resource_in_use'

/** The lines about fields that the page shows. */
const shownLines = 50

const conflictsIn = (form: URLSearchParams): string => (form.get('conflicts') === 'keep' ? 'keep' : 'refuse')

const bodyOf = (sent: URLSearchParams, { params }: OwnRequest) => ({
  since: params.id,
  everybody: sent.get('everybody') === '1',
  ...(sent.get('before') && { before: sent.get('before') }),
})

/** Tries to take back everything, and if something was changed since, the rest. */
async function tried(
  { perform }: OwnRequest,
  operation: 'undoActivity' | 'undoActivities',
  parameters: Readonly<Record<string, unknown>>,
  body: Readonly<Record<string, unknown>> = {},
): Promise<Tried> {
  const attempt = async (conflicts: 'refuse' | 'keep'): Promise<{ result: UndoResult; changes: readonly ObjectChange[] }> => {
    const { body: tried } = await perform(operation, parameters, { body: { ...body, conflicts }, isDryRun: true })
    return { result: tried, changes: reportOf(tried).changes }
  }
  const refusedWith = (error: unknown): Tried => {
    const refusal = error instanceof Problem ? ownMember<TextKey>(problems, error.code) : undefined
    if (refusal === undefined) throw error
    return {
      result: undefined,
      kept: keptIn(error),
      hasConflict: false,
      refusal: refusal === 'undo.changed_since' ? 'undo.all_changed' : refusal,
    }
  }
  const rest = async (): Promise<Tried> => ({ ...(await attempt('keep')), hasConflict: true, refusal: undefined })
  try {
    const whole = await attempt('refuse')
    return whole.result.failed.some(({ error }) => leavesRest(error)) ? await rest() : { ...whole, hasConflict: false, refusal: undefined }
  } catch (error) {
    return error instanceof Problem && leavesRest(error.code) ? await rest().catch(refusedWith) : refusedWith(error)
  }
}

function content(
  { texts, form, request }: OwnPageContext,
  { result, changes = [], kept = result?.kept ?? [], hasConflict, refusal }: Tried,
  { explanation, hidden }: { explanation: TextKey; hidden: Readonly<Record<string, string>> },
) {
  const isEmpty = result !== undefined && result.undone.length === 0
  const isPossible = result !== undefined && !isEmpty
  const section: AccountSection = {
    id: 'undo',
    heading: texts.text('undo.what'),
    paragraphs: [
      texts.parts(refusal ?? (isEmpty ? 'undo.nothing' : explanation), {}),
      ...(isPossible ? [texts.countedParts('undo.requests', result.undone.length)] : []),
      ...(isPossible ? [...effects(texts, result), ...changeLines(texts, changes, { limit: shownLines })] : []),
      ...(result && result.next !== null ? [texts.parts('undo.more', {})] : []),
    ],
    forms: isPossible
      ? [
          form('', {
            hidden: { ...hidden, conflicts: hasConflict ? 'keep' : 'refuse' },
            submit: texts.text(hasConflict ? 'undo.submit_rest' : 'undo.submit'),
            kind: 'main',
          }),
        ]
      : [],
  }
  // The notice says what happened. Why it cannot be repeated is not of interest.
  const isDone = request.ctx.query.done === 'done' && refusal !== undefined
  const left = leftOf(texts, kept, result?.failed ?? [])
  const leftSection: AccountSection = {
    id: 'kept',
    heading: texts.text('undo.kept'),
    paragraphs: [texts.parts('undo.kept_explanation', {}), ...left],
    links: [...new Map(kept.map((one) => [one.activity, one]))].flatMap(([activity, one]) =>
      activity === null ? [] : [{ href: undoPath(activity), label: texts.text('undo.first', { object: keptObject(texts, one) }) }],
    ),
  }
  return {
    title: 'undo.title' as const,
    heading: texts.text('undo.title'),
    back: { href: accountPaths.apps, label: texts.text('activity.back') },
    sections: [...(isDone ? [] : [section]), ...(left.length > 0 ? [leftSection] : [])],
  }
}

const actions = { restored: 'undo.restored', updated: 'undo.updated', deleted: 'undo.deleted' } as const

/** Returns what comes back, by action and type: “Restored: 3 lessons”. */
function effects(texts: Texts, { affected, rows, replaced }: UndoResult): TextPart[][] {
  return [
    ...affected.map(({ type, action, count }) => {
      const only = count === 1 ? rows.find((row) => row.type === type && row.action === action)?.label : null
      const name = objectTypeOf(type)
      const object = only
        ? texts.text('activity.labelled', { type: texts.text(`activity.type_${name}`), label: plainText(only, 100) })
        : texts.counted(`activity.count_${name}`, count)
      return texts.parts(ownMember<TextKey>(actions, action) ?? 'undo.updated', { object })
    }),
    ...(replaced.length > 0 ? [texts.countedParts('undo.replaced', replaced.length)] : []),
  ]
}

type Kept = UndoResult['kept'][number]

/** Returns what stays, from the details of an error. */
const keptIn = (error: unknown): Kept[] =>
  (error instanceof Problem ? (error.details ?? []) : []).flatMap(({ code, message, meta }) => {
    const { data } = undoResult.shape.kept.element.safeParse({ ...meta, reason: code, message })
    return data ? [data] : []
  })

const keptObject = (texts: Texts, { type, message }: Kept): string => {
  const [, label] = /^the [^']*'(.*?)' /.exec(message) ?? []
  const name = texts.text(`activity.type_${objectTypeOf(type)}`)
  return label === undefined ? name : texts.text('activity.labelled', { type: name, label: plainText(label, 80) })
}

/** Returns what stays: with both values and who changed it, or by type. */
function leftOf(texts: Texts, kept: readonly Kept[], failed: UndoResult['failed']): TextPart[][] {
  const { lines = [], others = [] } = Object.groupBy(kept, ({ restored }) => (restored === null ? 'others' : 'lines'))
  return [
    ...lines.map((one) => {
      const show = (value: string | null): string =>
        plainText(valueText(texts, { name: one.field ?? '', value: parsed(value), objects: new Map() }), 300)
      const values = {
        field: texts.field(one.field ?? ''),
        object: keptObject(texts, one),
        from: show(one.present),
        to: show(one.restored),
      }
      const { at, by } = one
      return at === null || by === null
        ? texts.parts('undo.kept_field', values)
        : texts.parts('undo.kept_changed', { ...values, by: plainText(by, 100), date: texts.moment(new Date(at)) })
    }),
    ...[...Map.groupBy(others, ({ type }) => objectTypeOf(type))].map(([type, rows]) =>
      texts.parts('undo.kept_objects', { object: texts.counted(`activity.count_${type}`, rows.length) }),
    ),
    ...(failed.length > 0 ? [texts.countedParts('undo.failed', failed.length)] : []),
  ]
}
