import { isObject } from '../../base/text/jsonValue.ts'
import { priceText } from '../../base/text/readerFormats.ts'
import type { RequestContent } from '../../engine/write/replay.ts'
import { contentPart, type TextPart, type Texts } from '../texts.ts'
import type { DescribedRequest } from './accountArguments.ts'
import type { AccountSection } from './accountPage.ts'
import { nameOf, type RequestRows } from './requestRows.ts'

/** Longer texts are shown in whole only after the person has opened them. */
const longest = 300

/** Returns the members of a request with their labels: those of its URL and of its body, with old values where it changes them. */
export function requestFacts(
  texts: Texts,
  { parameters, body }: RequestContent,
  { described, rows }: { described: DescribedRequest; rows: RequestRows },
): Required<Pick<AccountSection, 'facts' | 'details'>> {
  const facts: { label: string; value: TextPart[] }[] = []
  const details: { summary: string; paragraphs: TextPart[][]; forms: [] }[] = []
  const show = (name: string, value: unknown): string => valueText(texts, { name, value, described, objects: rows.objects })
  const add = (label: string, text: string, old?: string): void => {
    const [to, from] = [text, old].map((one) => one && shortened(one))
    facts.push({ label, value: from === undefined ? [contentPart(to ?? '')] : texts.parts('approval.from_to', { from, to: to ?? '' }) })
    if (text.length > longest) {
      const summary = texts.text('approval.longer', { label, count: text.length })
      details.push({ summary, paragraphs: text.split(/\n+/).map((line) => [contentPart(line)]), forms: [] })
    }
  }
  for (const [name, value] of Object.entries(parameters)) add(labelOf(texts, name), show(name, value))
  if (typeof body === 'string') add(texts.text('approval.table'), body)
  for (const [name, value] of isObject(body) ? Object.entries(body) : []) {
    const label = texts.field(name)
    if (Array.isArray(value) && value.some(isObject)) {
      for (const [at, one] of value.entries()) add(texts.text('approval.entry', { label, number: at + 1 }), show(name, one))
      continue
    }
    const old = described.isChange && rows.row && Object.hasOwn(rows.row, name) ? show(name, rows.row[name]) : undefined
    const text = show(name, value)
    add(label, text, old === text ? undefined : old)
  }
  return { facts, details }
}

const labelOf = (texts: Texts, name: string): string => (/^id(_or_\w+)?$/.test(name) ? texts.text('approval.object') : texts.field(name))

const shortened = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text)

interface Shown {
  name: string
  value: unknown
  /** Absent if every value that the texts have a word for is a choice. */
  described?: Pick<DescribedRequest, 'choices'>
  objects: RequestRows['objects']
}

/** Returns a value of a request as a text: names in place of ids, and times and prices as people write them. */
export function valueText(texts: Texts, { name, value, ...context }: Shown): string {
  const inner = (member: string, one: unknown): string => valueText(texts, { ...context, name: member, value: one })
  if (value === null || value === undefined || value === '') return texts.text('approval.nothing')
  if (typeof value === 'boolean') return texts.text(value ? 'approval.yes' : 'approval.no')
  if (typeof value === 'string') return textOf(texts, { name, value, ...context })
  if (Array.isArray(value)) {
    const all = value.map((one) => inner(name, one))
    return all.length === 0 ? texts.text('approval.nothing') : all.join(value.some(isObject) ? '\n' : ', ')
  }
  if (!isObject(value)) return String(value)
  if (typeof value.amount === 'number' && typeof value.currency === 'string')
    return priceOf(texts, value.amount, value.currency, value, inner)
  return membersText(texts, value, inner)
}

function textOf(texts: Texts, { name, value, described, objects }: Shown & { value: string }): string {
  if (described?.choices.has(`${name} ${value}`) ?? false) return texts.choice(value)
  if (/^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(value)) return texts.moment(new Date(value))
  return nameOf(texts, objects.get(value)) || value
}

function priceOf(
  texts: Texts,
  amount: number,
  currency: string,
  { amount: _amount, currency: _currency, ...others }: Readonly<Record<string, unknown>>,
  inner: (member: string, one: unknown) => string,
): string {
  const price = /^[A-Z]{3}$/.test(currency)
    ? priceText({ amount, currency, interval: 'one_time', interval_count: 1 }, texts.dateLocale)
    : `${amount} ${currency}`
  return [price, membersText(texts, others, inner)].filter((one) => one !== '').join('; ')
}

/** Puts a text of the app in quotes, which it cannot contain itself: it must not look like another member. */
const quoted = (value: unknown, text: string): string => (value === text ? `“${text.replace(/[“”„\s]+/g, ' ')}”` : text)

const membersText = (texts: Texts, value: Readonly<Record<string, unknown>>, inner: (member: string, one: unknown) => string): string =>
  Object.entries(value)
    .map(([member, one]) => `${texts.field(member)}: ${quoted(one, inner(member, one))}`)
    .join('; ')
