import { titleOf } from './titleOf.ts'

type Row = Readonly<Record<string, unknown>>

const longText = 160

/** One row as a page of Markdown: what is short in a list, what is long under a heading of its own. */
export function rowAsMarkdown(row: Row): string {
  const shown = Object.entries(row).filter(([name, value]) => name !== 'object' && !isEmpty(value) && !isRendering(name, row))
  const short = shown.filter(([, value]) => !isLong(value)).map(([name, value]) => `- ${words(name)}: ${inline(value)}`)
  const long = shown.filter(([, value]) => isLong(value)).map(([name, value]) => `## ${words(name)}\n\n${block(value)}`)
  return [`# ${oneLine(titleOf(row))}`, short.join('\n'), ...long]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n')
}

/** Rows of a list, each with the address under which it can be read here. */
export function listAsMarkdown(heading: string, rows: readonly Row[], addressOf: (row: Row) => string, hasMore: boolean): string {
  const lines = rows.map((row) => {
    const about = [row.subtitle, row.tagline, row.summary, row.headline].find((text) => typeof text === 'string')
    const price = isMoney(row.price) ? ` (${inline(row.price)})` : ''
    return `- [${oneLine(titleOf(row)).replaceAll(/[[\]]/g, '')}](${addressOf(row)})${about === undefined ? '' : `: ${oneLine(about as string)}`}${price}`
  })
  const rest = hasMore ? '\n\nThere are more: a list tool leads through all of them.' : ''
  return `# ${heading}\n\n${lines.length > 0 ? lines.join('\n') : 'None yet.'}${rest}\n`
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && !value.length)

/** The same text once more, as HTML. */
const isRendering = (name: string, row: Row): boolean => /_(html|format)$/.test(name) && name.replace(/_(html|format)$/, '') in row

function isLong(value: unknown): boolean {
  if (typeof value === 'string') return value.length > longText || value.includes('\n')
  return Array.isArray(value) && value.some((one) => typeof one === 'object')
}

function block(value: unknown): string {
  return Array.isArray(value) ? value.map((one) => `- ${inline(one)}`).join('\n') : String(value)
}

function inline(value: unknown): string {
  if (isMoney(value)) return moneyText(value)
  if (Array.isArray(value)) return value.map(inline).join(', ')
  if (typeof value !== 'object' || value === null) return oneLine(String(value))
  const members = Object.entries(value).filter(([, inner]) => !isEmpty(inner))
  const named = members.find(([name]) => ['title', 'name', 'display_name'].includes(name))
  const others = members.filter(([name]) => name !== named?.[0] && name !== 'object')
  const rest = others.map(([name, inner]) => `${words(name)} ${inline(inner)}`).join(', ')
  return named ? `${inline(named[1])}${rest ? ` (${rest})` : ''}` : rest
}

interface Money {
  amount: number
  currency: string
}

const isMoney = (value: unknown): value is Money =>
  typeof value === 'object' && value !== null && 'amount' in value && 'currency' in value && typeof value.currency === 'string'

/** 8900 EUR → `89.00 EUR`; currencies know how many digits their smallest unit has. */
function moneyText({ amount, currency }: Money): string {
  const digits = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2
  return `${(amount / 10 ** digits).toFixed(digits)} ${currency}`
}

const words = (name: string): string => name.replaceAll('_', ' ')

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
