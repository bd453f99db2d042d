import { toPublicId } from '../../base/ids.ts'
import { numberText } from '../../base/text/readerFormats.ts'
import { withQuery } from '../../base/text/withQuery.ts'
import type { UseOfDay } from '../../database/tables/grantUse.ts'
import type { ActivityEntry } from '../../school/apps/auditTrail.ts'
import type { ConsentScope } from '../consentScope.ts'
import { plainText } from '../plainText.ts'
import { contentPart, type TextPart, type Texts } from '../texts.ts'
import type { CalledOperation } from './accountArguments.ts'
import type { AccountItem, AccountSection, AccountTable } from './accountPage.ts'
import { activityFilter } from './activityFilter.ts'
import { changeLines } from './changeLines.ts'
import { changeSentence } from './changeSentence.ts'
import { outgoingLines, stopForm } from './outgoingPages.ts'
import type { ReadAuditForm } from './school/auditForm.ts'
import { undoPath, undoSincePath } from './undoPages.ts'

/** How long calls are counted, in days. */
const countedDays = 90
const [shownObjects, shownLines] = [100, 10]

export interface ActivityArguments {
  path: string
  entries: readonly ActivityEntry[]
  read: ReadAuditForm
  /** True if older entries exist. */
  isMore: boolean
  /** True if the newest entries are shown. */
  isFirst: boolean
  uses: readonly UseOfDay[]
  scopes: readonly ConsentScope[]
  describe(operation: string): CalledOperation | undefined
  /** The current names of people by their public ids. */
  names: ReadonlyMap<string, string>
  /** True if the entries are those of several people. */
  namesPeople: boolean
}

/** Returns the sections that show what an app did, what it read and what was refused. */
export function activitySections(texts: Texts, args: ActivityArguments): AccountSection[] {
  const { path, read, entries, isMore, isFirst, uses } = args
  const query = Object.fromEntries(Object.entries(read.form).filter(([, value]) => value !== ''))
  const isFiltered = Object.keys(query).length > 0 || Object.keys(read.errors).length > 0
  const none = isFiltered ? 'activity.none_match' : 'activity.changes_none'
  const reads = uses.filter(({ operation, calls }) => calls > 0 && (args.describe(operation)?.isRead ?? false))
  const refused = uses.filter((use) => use.refused > 0)
  const noneOf = (isEmpty: boolean, key: 'activity.reads_none' | 'activity.refused_none') =>
    isEmpty ? [texts.parts(key, { days: countedDays })] : []
  const number = (value: number): TextPart[] => [contentPart(numberText(value, texts.language))]
  return [
    {
      id: 'changes',
      heading: texts.text('activity.changes'),
      paragraphs: [texts.parts(entries.length === 0 ? none : 'activity.changes_kept', {})],
      details: [{ summary: texts.text('activity.filter'), paragraphs: [], forms: [activityFilter(texts, path, read)] }],
      items: byRequest(entries).map((group) => itemOf(texts, group, args)),
      links: [
        ...(isFirst ? [] : [{ href: path, label: texts.text('activity.newest') }]),
        ...(isMore ? [{ href: withQuery(path, { ...query, before: entries.at(-1)?.id }), label: texts.text('activity.older') }] : []),
      ],
    },
    {
      id: 'reads',
      heading: texts.text('activity.reads'),
      paragraphs: [texts.parts('activity.reads_explanation', { days: countedDays }), ...noneOf(reads.length === 0, 'activity.reads_none')],
      ...(reads.length > 0 && {
        table: tableOf(texts, args, reads, {
          caption: texts.text('activity.reads'),
          head: [texts.text('activity.calls'), texts.text('activity.rows')],
          cells: (sum) => [number(sum.calls), number(sum.rows)],
        }),
      }),
    },
    {
      id: 'refused',
      heading: texts.text('activity.refused'),
      paragraphs: noneOf(refused.length === 0, 'activity.refused_none'),
      ...(refused.length > 0 && {
        table: tableOf(texts, args, refused, {
          caption: texts.text('activity.refused'),
          head: [texts.text('activity.refused_calls')],
          cells: (sum) => [number(sum.refused)],
        }),
      }),
    },
  ]
}

/** Groups entries of one request that follow each other. */
function byRequest(entries: readonly ActivityEntry[]): [ActivityEntry, ...ActivityEntry[]][] {
  const groups: [ActivityEntry, ...ActivityEntry[]][] = []
  for (const entry of entries) {
    const last = groups.at(-1)
    if (last && entry.request_id !== null && last[0].request_id === entry.request_id) last.push(entry)
    else groups.push([entry])
  }
  return groups
}

const sentenceOf = (texts: Texts, { event, change }: ActivityEntry, names: ActivityArguments['names']): TextPart[] =>
  change
    ? changeSentence(texts, change, names.get(change.resource.id ?? ''))
    : texts.parts('school.verbatim', { text: texts.eventSentence(event) ?? '' })

function itemOf(texts: Texts, [first, ...others]: [ActivityEntry, ...ActivityEntry[]], args: ActivityArguments): AccountItem {
  const { names, namesPeople } = args
  const date = texts.moment(first.at)
  const person = namesPeople && first.person ? plainText(first.person.name, 100) : ''
  const reason = first.change?.reason
  const ids = first.change?.resource.ids ?? []
  const lines = [first, ...others].flatMap(({ changes }) => changes)
  const emails = [first, ...others].reduce((sum, entry) => sum + entry.emails, 0)
  const labels = new Map(lines.flatMap(({ id, label }) => (id === null || label === null ? [] : [[id, label]])))
  const recorded = [first, ...others].find(({ undo }) => undo !== undefined)
  const sending = [first, ...others].find(({ outgoing }) => outgoing !== undefined)
  const activity = recorded && toPublicId('act', recorded.id)
  const details = [
    ...others.map((entry) => sentenceOf(texts, entry, names)),
    ...ids.slice(0, shownObjects).map((id) => [contentPart(plainText(names.get(id) ?? labels.get(id) ?? id, 120))]),
    ...(ids.length > shownObjects ? [texts.countedParts('activity.objects_more', ids.length - shownObjects)] : []),
  ]
  return {
    id: toPublicId('act', first.id),
    title: sentenceOf(texts, first, names),
    lines: [
      person === '' ? texts.parts('activity.at', { date }) : texts.parts('activity.at_by', { date, person }),
      ...(reason == null ? [] : [texts.parts('activity.reason', { reason: plainText(reason, 200) })]),
      ...outgoingLines(texts, sending?.outgoing),
      ...(emails > 0 && !sending ? [texts.countedParts('activity.emails', emails)] : []),
      ...changeLines(texts, lines, { subject: first.change?.resource.id, names, limit: shownLines }),
    ],
    form: sending && stopForm(texts, toPublicId('act', sending.id), sending.outgoing),
    ...(recorded?.undo?.undone_at && { mark: texts.text('undo.mark') }),
    ...(activity !== undefined &&
      recorded?.undo?.possible && {
        links: [
          { href: undoPath(activity), label: texts.text('undo.link') },
          { href: undoSincePath(activity, namesPeople), label: texts.text('undo.link_since') },
        ],
      }),
    ...(details.length > 0 && {
      details: {
        summary: others.length > 0 ? texts.counted('activity.request', others.length + 1) : texts.text('activity.objects'),
        lines: details,
      },
    }),
  }
}

type Sum = Pick<UseOfDay, 'calls' | 'rows' | 'refused'>

/** Returns a table with a row for each day and area of the school. */
function tableOf(
  texts: Texts,
  { scopes, describe }: ActivityArguments,
  uses: readonly UseOfDay[],
  { caption, head, cells }: { caption: string; head: string[]; cells(sum: Sum): TextPart[][] },
): AccountTable {
  const areaOf = (operation: string): string => {
    if (operation === 'listChanges') return texts.text('activity.area_changes')
    if (operation === 'listSearchResults') return texts.text('activity.area_search')
    const scope = scopes.find(({ name }) => name === describe(operation)?.scope)
    return scope ? texts.areaTitle(scope) : texts.text('activity.area_other')
  }
  const groups = Map.groupBy(uses, ({ day, operation }) => `${day} ${areaOf(operation)}`)
  return {
    caption,
    head: [texts.text('activity.day'), texts.text('activity.area'), ...head],
    rows: [...groups.values()].map((group) => {
      const sum = { calls: 0, rows: 0, refused: 0 }
      for (const use of group) for (const name of ['calls', 'rows', 'refused'] as const) sum[name] += use[name]
      const [{ day, operation } = { day: '', operation: '' }] = group
      return {
        cells: [[contentPart(texts.date(new Date(`${day}T12:00:00Z`)))], [contentPart(areaOf(operation))], ...cells(sum)],
      }
    }),
  }
}
