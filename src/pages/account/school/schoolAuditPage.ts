import type { AuditTrailEntry } from '../../../domain/administration/auditTrail.ts'
import { accountPaths, withQuery } from '../../../policy/accountPaths.ts'
import { plainText } from '../../plainText.ts'
import type { Frame } from '../../templates.ts'
import type { Texts } from '../../texts.ts'
import type { AccountShell } from '../accountPage.ts'
import { publicAccount } from './auditCsv.ts'
import type { AuditForm, ReadAuditForm } from './auditForm.ts'
import { type SchoolSection, schoolSections } from './schoolSections.ts'

/** The audit trail of the school, with a filter. */
export interface SchoolAuditPage extends Frame, AccountShell {
  sectionsLabel: string
  sections: SchoolSection[]
  introduction: string
  action: string
  filterLabel: string
  fields: { name: keyof AuditForm; type: 'date' | 'text'; label: string; hint: string; value: string; error: string; describedBy: string }[]
  submit: string
  nothing: string
  entries: { time: string; at: string; event: string; facts: { label: string; value: string }[]; details: string }[]
  detailsLabel: string
  older: { href: string; label: string } | undefined
  download: { href: string; label: string }
}

export interface SchoolAuditArguments {
  read: ReadAuditForm
  entries: readonly AuditTrailEntry[]
  isMore: boolean
  mostExported: number
}

/** Builds the page. Pure. */
export function schoolAuditPage(
  texts: Texts,
  { read: { form, errors }, entries, isMore, mostExported }: SchoolAuditArguments,
): Omit<SchoolAuditPage, keyof Frame | keyof AccountShell> {
  const given = Object.fromEntries(Object.entries(form).filter(([, value]) => value !== ''))
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
    sectionsLabel: texts.text('school.nav_label'),
    sections: schoolSections(texts, accountPaths.schoolAudit),
    introduction: texts.text('school.audit_introduction', { zone: texts.timeZone }),
    action: accountPaths.schoolAudit,
    filterLabel: texts.text('school.audit_filter'),
    fields: [field('from', 'date'), field('until', 'date'), field('event'), field('person'), field('client')],
    submit: texts.text('school.audit_show'),
    nothing: entries.length === 0 ? texts.text('school.audit_none') : '',
    entries: entries.map((entry) => entryOf(texts, entry)),
    detailsLabel: texts.text('school.audit_details'),
    older: isMore
      ? { href: withQuery(accountPaths.schoolAudit, { ...given, before: entries.at(-1)?.id }), label: texts.text('school.audit_older') }
      : undefined,
    download: {
      href: withQuery(accountPaths.schoolAuditCsv, given),
      label: texts.text('school.audit_download', { count: mostExported }),
    },
  }
}

function entryOf(texts: Texts, { at, event, person, details, ...entry }: AuditTrailEntry): SchoolAuditPage['entries'][number] {
  const fact = (label: string, value: string) => (value === '' ? [] : [{ label, value: plainText(value, 300) }])
  return {
    time: at.toISOString(),
    at: texts.moment(at),
    event,
    facts: [
      ...fact(texts.text('school.audit_by'), person ? `${person.name} (${person.email})` : publicAccount(entry.account_id)),
      ...fact(texts.text('school.audit_client'), entry.client_id ?? ''),
      ...fact(texts.text('school.audit_address'), entry.address ?? ''),
      ...fact(texts.text('school.audit_request'), entry.request_id ?? ''),
    ],
    details: Object.keys(details).length === 0 ? '' : JSON.stringify(details, null, 2).slice(0, 5000),
  }
}
