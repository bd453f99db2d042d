import type { Context } from 'koa'
import { type Day, dayEnd, dayStart, isDay } from '../../../base/days.ts'
import type { AuditFilter } from '../../../database/tables/readAudit.ts'
import { activityActions, objectFilter } from '../../../school/account/appActivity.ts'
import type { TextKey } from '../../texts.ts'

export interface AuditForm {
  from: string
  until: string
  event: string
  person: string
  client: string
  object: string
}

/** The filter of a form, without the person, and the errors of its fields. */
export interface ReadAuditForm {
  form: AuditForm
  filter: AuditFilter
  errors: Partial<Record<keyof AuditForm, TextKey>>
}

const longest: Record<keyof AuditForm, number> = { from: 10, until: 10, event: 80, person: 254, client: 500, object: 60 }

/** Reads the filter from the query, with days of a time zone. Parameters that are repeated or too long count as wrong. */
export function readAuditForm(ctx: Context, timeZone: string): ReadAuditForm {
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
    object: read('object', 'school.audit_bad_object'),
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
  if (!/^\w*$/.test(form.object)) errors.object = 'school.audit_bad_object'
  const action = activityActions.find((one) => one === form.event)
  const changes = { ...(action && { action }), ...objectFilter(form.object || undefined) }
  return {
    form,
    errors,
    filter: {
      since: from ? dayStart(from, timeZone) : undefined,
      // The last day is included.
      until: until ? dayEnd(until, timeZone) : undefined,
      ...(action === undefined && form.event !== '' && { events: [form.event] }),
      ...(Object.keys(changes).length > 0 && { changes }),
      clientId: form.client || undefined,
    },
  }
}

const dayOf = (text: string): Day | undefined => (isDay(text) && text >= '1970' ? text : undefined)
