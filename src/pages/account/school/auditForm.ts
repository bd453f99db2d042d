import type { Context } from 'koa'
import type { AuditFilter } from '../../../store/readAudit.ts'
import type { TextKey } from '../../texts.ts'

/** The submitted fields of the form of the audit trail, as text. */
export interface AuditForm {
  from: string
  until: string
  event: string
  person: string
  client: string
}

/** The filter of a form, without the person, and the errors of its fields. */
export interface ReadAuditForm {
  form: AuditForm
  filter: AuditFilter
  errors: Partial<Record<keyof AuditForm, TextKey>>
}

const dayMs = 86_400_000
const longest: Record<keyof AuditForm, number> = { from: 10, until: 10, event: 80, person: 254, client: 500 }

/** Reads the filter from the query. Parameters that are repeated or too long count as wrong. */
export function readAuditForm(ctx: Context): ReadAuditForm {
  const errors: ReadAuditForm['errors'] = {}
  const read = (name: keyof AuditForm, error: TextKey): string => {
    const value = ctx.query[name]
    if (value === undefined) return ''
    if (typeof value === 'string' && value.length <= longest[name]) return value.trim()
    errors[name] = error
    return ''
  }
  const form: AuditForm = {
    from: read('from', 'school.audit_bad_date'),
    until: read('until', 'school.audit_bad_date'),
    event: read('event', 'school.audit_bad_event'),
    person: read('person', 'school.audit_no_person'),
    client: read('client', 'school.audit_bad_client'),
  }
  const from = dayOf(form.from)
  const until = dayOf(form.until)
  if (form.from !== '' && !from) errors.from = 'school.audit_bad_date'
  if (form.until !== '' && !until) errors.until = 'school.audit_bad_date'
  // A date field cannot show another text.
  if (errors.from) form.from = ''
  if (errors.until) form.until = ''
  if (form.event !== '' && !/^[a-z_]+(\.[a-z_]+)?$/.test(form.event)) errors.event = 'school.audit_bad_event'
  if (!/^[\x21-\x7e]*$/.test(form.client)) errors.client = 'school.audit_bad_client'
  return {
    form,
    errors,
    filter: {
      since: from,
      // The last day is included.
      until: until && new Date(until.getTime() + dayMs),
      ...(form.event !== '' && { events: [form.event] }),
      clientId: form.client || undefined,
    },
  }
}

/** Returns the start of a day in UTC; undefined if the text is not a date between 1970 and 9999. */
function dayOf(text: string): Date | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined
  const date = new Date(`${text}T00:00:00Z`)
  return Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== text || date.getTime() < 0 ? undefined : date
}
