import { accountPaths } from '../../../base/accountPaths.ts'
import { toPublicId } from '../../../base/ids.ts'
import { isolate } from '../../../base/process/isolate.ts'
import { ownMember } from '../../../base/text/ownMember.ts'
import { withQuery } from '../../../base/text/withQuery.ts'
import { type ActivityEntry, auditRecord, namedEvents } from '../../../school/apps/auditTrail.ts'
import type { FormLink } from '../../formPage.ts'
import type { Frame } from '../../frame.ts'
import { plainText } from '../../plainText.ts'
import { type TextKey, type Texts, textOf } from '../../texts.ts'
import type { AccountShell } from '../accountPage.ts'
import { changeSentence } from '../changeSentence.ts'
import { undoPath } from '../undoPages.ts'
import type { AuditForm, ReadAuditForm } from './auditForm.ts'

export interface SchoolAuditPage extends Frame, AccountShell {
  introduction: string
  action: string
  filterLabel: string
  fields: { name: keyof AuditForm; type: 'date' | 'text'; label: string; hint: string; value: string; error: string; describedBy: string }[]
  submit: string
  nothing: string
  caption: string
  head: string[]
  entries: AuditLine[]
  /** The events that the filter offers. */
  events: { event: string; sentence: string }[]
  detailsLabel: string
  /** Shows whatever was deleted. */
  deleted: FormLink
  older: { href: string; label: string } | undefined
  download: { href: string; label: string }
}

interface AuditLine {
  time: string
  at: string
  sentence: string
  event: string
  person: string
  client: string
  facts: { label: string; value: string }[]
  details: string
  /** Leads to the page on which the change is taken back. */
  undo: FormLink | undefined
  /** Says that it was taken back; empty otherwise. */
  mark: string
}

export interface SchoolAuditArguments {
  read: ReadAuditForm
  entries: readonly ActivityEntry[]
  isMore: boolean
  maxExported: number
}

export function schoolAuditPage(
  texts: Texts,
  { read: { form, errors }, entries, isMore, maxExported }: SchoolAuditArguments,
): Omit<SchoolAuditPage, keyof Frame | keyof AccountShell> {
  const query = Object.fromEntries(Object.entries(form).filter(([, value]) => value !== ''))
  const field = (name: keyof AuditForm, type: 'date' | 'text' = 'text') => {
    const key = errors[name]
    const hint = name === 'event' ? texts.text('school.audit_event_hint') : ''
    return {
      name,
      type,
      label: texts.text(`school.audit_${name}`),
      hint,
      value: form[name],
      error: key ? texts.text(key) : '',
      describedBy: [...(hint ? [`${name}-hint`] : []), ...(key ? [`${name}-error`] : [])].join(' '),
    }
  }
  return {
    introduction: texts.text('school.audit_introduction', { zone: texts.timeZone }),
    action: accountPaths.schoolAudit,
    filterLabel: texts.text('school.audit_filter'),
    fields: [field('from', 'date'), field('until', 'date'), field('event'), field('object'), field('person'), field('client')],
    submit: texts.text('school.audit_show'),
    nothing: entries.length === 0 ? texts.text('school.audit_none') : '',
    entries: entries.map((entry) => entryOf(texts, entry)),
    caption: texts.text('school.audit'),
    head: (['time', 'event', 'by', 'client', 'details'] as const).map((key) => texts.text(`school.audit_${key}`)),
    events: namedEvents.map((event) => ({ event, sentence: texts.eventSentence(event) ?? event })),
    detailsLabel: texts.text('school.audit_details'),
    deleted: { href: withQuery(accountPaths.schoolAudit, { event: 'deleted' }), label: texts.text('school.audit_deleted') },
    older: isMore
      ? { href: withQuery(accountPaths.schoolAudit, { ...query, before: entries.at(-1)?.id }), label: texts.text('school.audit_older') }
      : undefined,
    download: {
      href: withQuery(accountPaths.schoolAuditCsv, query),
      label: texts.text('school.audit_download', { count: maxExported }),
    },
  }
}

const decisions = {
  approve: 'school.audit_comment_approve',
  hide: 'school.audit_comment_hide',
  spam: 'school.audit_comment_spam',
  delete: 'school.audit_comment_delete',
} as const

/** Returns what a moderator did with a comment: the name of the event says less. */
function decisionSentence(texts: Texts, { event, person, details: { decision } }: ActivityEntry): string | undefined {
  const key = event === 'comment.moderated' && person ? ownMember<TextKey>(decisions, String(decision)) : undefined
  return key && person ? texts.text(key, { name: plainText(person.name, 160) }) : undefined
}

function entryOf(texts: Texts, row: ActivityEntry): AuditLine {
  const { at, event, person, details, change, undo, ...entry } = row
  const fact = (label: string, value: string | null) => (value ? [{ label, value: plainText(value, 300) }] : [])
  return {
    time: at.toISOString(),
    at: texts.moment(at),
    sentence: change
      ? textOf(changeSentence(texts, change))
      : (decisionSentence(texts, row) ??
        texts.eventSentence(event) ??
        texts.text('school.audit_change', { event: event.replace(/[._]/g, ' ') })),
    undo: undo?.possible ? { href: undoPath(toPublicId('act', entry.id)), label: texts.text('undo.link') } : undefined,
    mark: undo?.undone_at ? texts.text('undo.mark') : '',
    event,
    person: person
      ? `${isolate(plainText(person.name, 160))} (${plainText(person.email, 254)})`
      : plainText(auditRecord(row).account_id ?? '', 300),
    client: plainText(entry.client_id ?? '', 300),
    facts: [...fact(texts.text('school.audit_address'), entry.address), ...fact(texts.text('school.audit_request'), entry.request_id)],
    details: Object.keys(details).length === 0 ? '' : JSON.stringify(details, null, 2).slice(0, 5000),
  }
}
