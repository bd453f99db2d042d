import { amountOf, decimalAmount } from '../../../../base/text/decimalAmount.ts'
import { isObject } from '../../../../base/text/jsonValue.ts'
import { clockText, timeOfClock } from '../../../../base/timeZone.ts'
import type { FieldRules } from '../../../../engine/output/operationInput.ts'
import type { Texts } from '../../../texts.ts'
import type { AccountField, FieldOption } from '../../accountPage.ts'
import { accountField } from '../../ownFields.ts'

type Fields = Readonly<Record<string, FieldRules>>

/** A field of a form: a member of the body, or of an object in it. Its name is its path, with dots. */
export interface Leaf {
  path: string
  /** The names from the body to the member. */
  names: readonly string[]
  rules: FieldRules
}

/** A row whose id a field takes. */
export interface Candidate {
  id: string
  name: string
}

export interface Filling {
  timeZone: string
  /** The currency of amounts that have none yet. */
  currency: string
  /** Returns the current value of a member of the body; undefined if nothing is there yet. */
  currentOf(name: string): unknown
}

/** Returns the fields of a form. Lists of objects have none. */
export const leavesOf = (fields: Fields, above: readonly string[] = []): Leaf[] =>
  Object.entries(fields).flatMap(([name, rules]): Leaf[] => {
    const names = [...above, name]
    if (rules.kind === 'other') return []
    return rules.kind === 'group' ? leavesOf(rules.members ?? {}, names) : [{ path: names.join('.'), names, rules }]
  })

const valueAt = ({ names: [first = '', ...others] }: Leaf, { currentOf }: Filling): unknown =>
  others.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), currentOf(first))

/** Returns a value as its field shows it; several for a list of ids. */
function shownIn(leaf: Leaf, filling: Filling): string[] {
  const value = valueAt(leaf, filling)
  const { kind } = leaf.rules
  if (kind === 'references') return Array.isArray(value) ? value.map((one) => (isObject(one) ? String(one.id) : String(one))) : []
  if (value === null || value === undefined) return ['']
  if (kind === 'time') return [clockText(String(value), filling.timeZone)]
  if (kind === 'boolean') return [value === true ? 'yes' : 'no']
  if (kind === 'lines') return [Array.isArray(value) ? value.join('\n') : '']
  if (kind === 'money' && isObject(value)) return [decimalAmount({ amount: Number(value.amount), currency: String(value.currency) })]
  return [String(value)]
}

/** Returns what a person has sent in a field, in the form of `shownIn`: what it showed, if it was not sent. */
function sentIn(leaf: Leaf, sent: URLSearchParams, filling: Filling): string[] {
  const { path, rules } = leaf
  if (rules.kind === 'references') return sent.getAll(path).flatMap((text) => text.split(/[\s,]+/).filter((one) => one !== ''))
  const text = sent.get(path)?.replaceAll('\r\n', '\n')
  if (text === undefined) return shownIn(leaf, filling)
  if (rules.kind === 'money') {
    const currency = currencyOf(leaf, filling)
    const amount = amountOf(text.trim(), currency)
    return [amount === undefined ? text.trim() : decimalAmount({ amount, currency })]
  }
  return [rules.kind === 'line' || rules.kind === 'text' || rules.kind === 'lines' ? text : text.trim()]
}

const currencyOf = (leaf: Leaf, filling: Filling): string => {
  const value = valueAt(leaf, filling)
  return isObject(value) ? String(value.currency) : filling.currency
}

/** Returns the value for the operation. A text that cannot be one stays, so that the operation says what is wrong with it. */
function parsedValue(leaf: Leaf, texts: readonly string[], filling: Filling): unknown {
  const { kind, takesNull } = leaf.rules
  const [text = ''] = texts
  if (kind === 'references') return texts
  if (kind === 'lines') return text.split('\n').flatMap((one) => (one.trim() === '' ? [] : [one.trim()]))
  if (text === '') return takesNull ? null : ''
  if (kind === 'boolean') return text === 'yes'
  if (kind === 'number') return /^-?\d+(?:[.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : text
  if (kind === 'time') return timeOfClock(text, filling.timeZone)?.toISOString() ?? text
  if (kind !== 'money') return text
  const currency = currencyOf(leaf, filling)
  return { amount: amountOf(text, currency) ?? text, currency }
}

/**
 * Returns the body of an operation from the fields of its form: those that differ from what the form showed first, and nothing that the form
 * does not have.
 */
export function bodyIn(fields: Fields, sent: URLSearchParams, filling: Filling): Record<string, unknown> {
  const typed = (leaf: Leaf): string[] => sentIn(leaf, sent, filling)
  const isSame = (leaf: Leaf): boolean => typed(leaf).join('\n') === shownIn(leaf, filling).join('\n')
  const body: Record<string, unknown> = {}
  for (const [name, rules] of Object.entries(fields)) {
    const leaves = leavesOf({ [name]: rules })
    if (leaves.every(isSame)) continue
    const form = rules.forms?.members[sent.get(`${name}.${rules.forms.by}`) ?? '']
    const chosen = leaves.filter((leaf) => (form ? form.includes(leaf.names[1] ?? '') : !isSame(leaf)))
    const isEmptied = rules.takesNull && leaves.every((leaf) => typed(leaf).join('') === '')
    if (isEmptied) body[name] = null
    else for (const leaf of chosen) put(body, leaf.names, parsedValue(leaf, typed(leaf), filling))
  }
  return body
}

function put(target: Record<string, unknown>, [first = '', ...others]: readonly string[], value: unknown): void {
  if (others.length === 0) target[first] = value
  else {
    const inner = isObject(target[first]) ? { ...target[first] } : {}
    put(inner, others, value)
    target[first] = inner
  }
}

interface Showing {
  filling: Filling
  sent: URLSearchParams | undefined
  errorOf(path: string): string
  /** The rows that a field with ids chooses from; undefined if there are too many. */
  candidatesOf(idPrefix: string): readonly Candidate[] | undefined
}

/** Returns the label of a field: that of its object comes first. */
const labelOf = (texts: Texts, names: readonly string[]): string => names.map((name) => texts.field(name)).join(': ')

export function fieldOf(texts: Texts, leaf: Leaf, showing: Showing): AccountField {
  const { path, names, rules } = leaf
  const { filling, sent, errorOf, candidatesOf } = showing
  const values = sent ? sentIn(leaf, sent, filling) : shownIn(leaf, filling)
  const [value = ''] = values
  const { kind } = rules
  const label = kind === 'money' ? `${labelOf(texts, names)} (${currencyOf(leaf, filling)})` : labelOf(texts, names)
  const common = { name: path, label, autocomplete: 'off', error: errorOf(path), isOptional: !rules.isRequired, value }
  const select = (options: readonly { value: string; label: string }[]): AccountField => {
    const hasNone = value === '' || rules.takesNull
    const all = hasNone ? [{ value: '', label: texts.text('manage.none') }, ...options] : options
    const missing = all.some((one) => one.value === value) ? [] : [{ value, label: value }]
    return accountField({
      ...common,
      type: 'select',
      groups: [{ label: '', options: [...all, ...missing].map((one) => chosen(one, values)) }],
    })
  }
  const candidates = rules.idPrefix === undefined ? undefined : candidatesOf(rules.idPrefix)
  const rows = candidates?.map(({ id, name }) => ({ value: id, label: name }))
  if (kind === 'references' && rows)
    return accountField({ ...common, type: 'checkbox', groups: [{ label: '', options: rows.map((one) => chosen(one, values)) }] })
  if (kind === 'reference' && rows) return select(rows)
  if (kind === 'choice') return select((rules.options ?? []).map((one) => ({ value: one, label: capital(texts.choice(one)) })))
  if (kind === 'boolean') return select((['yes', 'no'] as const).map((one) => ({ value: one, label: texts.text(`manage.${one}`) })))
  if (kind === 'text' || kind === 'lines' || kind === 'references') {
    const hint = kind === 'text' ? (rules.isMarkup ? texts.text('manage.markdown') : '') : texts.text('manage.lines')
    return accountField({ ...common, type: 'textarea', hint, value: values.join('\n'), maxLength: rules.maxLength ?? 60_000 })
  }
  if (kind === 'time')
    return accountField({ ...common, type: 'datetime-local', hint: texts.text('manage.zone', { zone: filling.timeZone }) })
  const hint = kind === 'reference' ? texts.text('manage.reference') : ''
  return accountField({ ...common, type: 'text', hint, maxLength: rules.maxLength ?? 300, isVerbatim: kind !== 'line' })
}

const chosen = (option: { value: string; label: string }, values: readonly string[]): FieldOption => ({
  ...option,
  isSelected: values.includes(option.value),
})

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
