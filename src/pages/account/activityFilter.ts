import type { Texts } from '../texts.ts'
import type { AccountForm } from './accountPage.ts'
import { actionNames } from './changeSentence.ts'
import { accountField } from './ownFields.ts'
import type { AuditForm, ReadAuditForm } from './school/auditForm.ts'

/** Returns the form that shows only some entries of an activity: its fields are those of the audit trail. */
export function activityFilter(texts: Texts, path: string, { form, errors }: ReadAuditForm): AccountForm {
  const field = (name: keyof AuditForm, type: 'date' | 'text') => {
    const error = errors[name]
    return accountField({
      ...{ name, type, label: texts.text(`school.audit_${name}`), autocomplete: 'off', value: form[name] },
      ...{ maxLength: 60, isOptional: true, error: error ? texts.text(error) : '' },
    })
  }
  const options = [{ value: '', label: texts.text('activity.filter_all') }, ...actionNames(texts)]
  const action = { name: 'event', type: 'select' as const, label: texts.text('activity.filter_action'), autocomplete: 'off' }
  const groups = [{ label: '', options: options.map((one) => ({ ...one, isSelected: one.value === form.event })) }]
  return {
    action: path,
    isSearch: true,
    fields: [accountField({ ...action, groups }), field('object', 'text'), field('from', 'date'), field('until', 'date')],
    submit: texts.text('activity.filter_show'),
  }
}
