import { formField } from '../formPage.ts'
import type { Texts } from '../texts.ts'
import type { AccountField, FieldOption } from './accountPage.ts'

/** Returns a field of an account page. `error` is shown at the field. */
export const accountField = (
  field: Pick<AccountField, 'name' | 'type' | 'label' | 'autocomplete'> & Partial<AccountField>,
): AccountField => {
  const { type, ...rest } = field
  return { ...formField({ ...rest, type: 'text' }), ...rest, type }
}

/** Returns a list of options. The first one is selected. */
export const choiceField = ({
  options,
  ...field
}: {
  name: string
  id: string
  label: string
  options: { value: string; label: string }[]
}) =>
  accountField({
    ...{ ...field, type: 'select', autocomplete: 'off' },
    groups: [{ label: '', options: options.map((option, at) => ({ ...option, isSelected: at === 0 })) }],
  })

/** Returns the field of the language: automatic, the languages of the school, and the current one if it is another. */
export function languageField(
  texts: Texts,
  { value, available, error }: { value: string; available: readonly string[]; error: string },
): AccountField {
  const tags = available.includes(value) || value === '' ? available : [...available, value]
  const options = tags.map((tag) => ({ value: tag, label: nameOfLanguage(tag), isSelected: tag === value }))
  const automatic = { value: '', label: texts.text('profile.language_automatic'), isSelected: value === '' }
  return accountField({
    ...{ name: 'locale', type: 'select', label: texts.text('profile.language'), autocomplete: 'language' },
    hint: texts.text('profile.language_hint'),
    error,
    groups: [{ label: '', options: [automatic, ...options] }],
  })
}

/** Returns the field of the time zone, with the zones grouped by the first part of their name. */
export function timeZoneField(texts: Texts, { value, error }: { value: string; error: string }): AccountField {
  const names = Intl.supportedValuesOf('timeZone')
  const zones = value === '' || names.includes(value) ? names : [value, ...names]
  const groups = Map.groupBy(zones, (name) => (name.includes('/') ? (name.split('/', 1)[0] ?? '') : 'UTC'))
  const option = (name: string): FieldOption => ({
    value: name,
    label: name.slice(name.indexOf('/') + 1).replaceAll('_', ' '),
    isSelected: name === value,
  })
  const automatic = { value: '', label: texts.text('profile.time_zone_automatic'), isSelected: value === '' }
  return accountField({
    ...{ name: 'time_zone', type: 'select', label: texts.text('profile.time_zone'), autocomplete: 'off' },
    error,
    groups: [{ label: '', options: [automatic] }, ...[...groups].map(([label, members]) => ({ label, options: members.map(option) }))],
  })
}

/** Returns a language as it names itself. */
function nameOfLanguage(tag: string): string {
  try {
    return new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag
  } catch {
    return tag
  }
}
