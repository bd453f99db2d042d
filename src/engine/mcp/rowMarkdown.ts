import { decimalAmount } from '../../base/text/decimalAmount.ts'
import { titleOf } from '../../base/text/titleOf.ts'

type Row = Readonly<Record<string, unknown>>

const longText = 160

/** Renders a row as a Markdown page: short values as a list, long ones in a separate section each. */
export function rowAsMarkdown(row: Row): string {
  const shown = Object.entries(row).filter(([name, value]) => name !== 'object' && !isEmpty(value) && !isRendering(name, row))
  const short = shown.filter(([, value]) => !isLong(value)).map(([name, value]) => `- ${words(name)}: ${inline(value)}`)
  const long = shown.filter(([, value]) => isLong(value)).map(([name, value]) => `## ${words(name)}\n\n${block(value)}`)
  return [`# ${oneLine(titleOf(row))}`, short.join('\n'), ...long]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n')
}

export function listAsMarkdown(heading: string, rows: readonly Row[], addressOf: (row: Row) => string, hasMore: boolean): string {
  const lines = rows.map((row) => {
    const about = [row.subtitle, row.tagline, row.summary, row.headline].find((text) => typeof text === 'string')
    const price = isMoney(row.price) ? ` (${inline(row.price)})` : ''
    return `- [${oneLine(titleOf(row)).replaceAll(/[[\]]/g, '')}](${addressOf(row)})${about === undefined ? '' : `: ${oneLine(about)}`}${price}`
  })
  const rest = hasMore ? '\n\nThere are more: a list tool leads through all of them.' : ''
  return `# ${heading}\n\n${lines.length > 0 ? lines.join('\n') : 'None yet.'}${rest}\n`
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && !value.length)

/** HTML fields repeat the Markdown field. */
const isRendering = (name: string, row: Row): boolean => /_(html|format)$/.test(name) && name.replace(/_(html|format)$/, '') in row

function isLong(value: unknown): boolean {
  if (typeof value === 'string') return value.length > longText || value.includes('\n')
  return Array.isArray(value) && value.some((one) => typeof one === 'object')
}

function block(value: unknown): string {
  return Array.isArray(value) ? value.map((one) => `- ${inline(one)}`).join('\n') : String(value)
}

function inline(value: unknown): string {
  if (isMoney(value)) return `${decimalAmount(value)} ${value.currency}`
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

const words = (name: string): string => name.replaceAll('_', ' ')

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
