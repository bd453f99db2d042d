import { fieldError, Problem, type ProblemDetail } from '../../base/problem.ts'
import type { Stored } from '../../database/connection/database.ts'
import { portion, prorateAmounts } from './prorateAmounts.ts'

/** A line of an order before a refund. Amounts in the smallest unit. */
export interface RefundableLine extends Stored<'order_item', 'id' | 'product_type' | 'product_id'> {
  total: number
  tax: number
  refunded: number
  refundedTax: number
  isRefunded: boolean
}

export interface RefundPart {
  line: RefundableLine
  amount: number
  tax: number
  isRest: boolean
}

/** The amounts of a request: one amount over all lines, single lines, or neither for everything that is left. */
export interface RefundedAmounts {
  /** In the smallest unit. */
  amount?: number | undefined
  /** Lines by their stored ids. Without an amount, everything that is left of the line. */
  items?: readonly { lineId: string | undefined; amount?: number | undefined }[] | undefined
}

const restOf = ({ total, refunded }: RefundableLine): number => total - refunded

/**
 * Divides a refund over the lines of an order. The tax of a part is rounded in the running sum of its line, so the parts of all refunds of
 * a line add up to its total and its tax.
 * @throws Problem validation_failed
 */
export function refundParts(
  lines: readonly RefundableLine[],
  { amount, items }: RefundedAmounts,
  { currency }: { currency: string },
): RefundPart[] {
  if (amount !== undefined && items) throw failed([fieldError('items', 'not_allowed', 'cannot be combined with amount. Send one of them')])
  const rests = lines.map(restOf)
  const rest = rests.reduce((sum, one) => sum + one, 0)
  if (items) return ofLines(lines, items, currency)
  const refunded = amount ?? rest
  if (rest > 0 ? !isAmount(refunded, rest) : refunded !== 0) {
    const rule = rest > 0 ? `must be from 1 to ${rest}, in the smallest unit of ${currency}` : 'must be absent: the order has a total of 0'
    throw failed([fieldError('amount', 'range', rule)])
  }
  const amounts = prorateAmounts(refunded, rests)
  return lines.flatMap((line, index) => (amounts[index] ? [partOf(line, amounts[index])] : []))
}

function ofLines(lines: readonly RefundableLine[], items: NonNullable<RefundedAmounts['items']>, currency: string): RefundPart[] {
  const byId = new Map(lines.map((line) => [line.id, line]))
  const seen = new Set<string>()
  const errors: ProblemDetail[] = []
  const parts: RefundPart[] = []
  for (const [index, { lineId, amount }] of items.entries()) {
    const line = lineId === undefined ? undefined : byId.get(lineId)
    if (!line || seen.has(line.id)) {
      const [code, rule] = line ? ['duplicate', 'must name each line once'] : ['invalid_reference', 'must be the id of a line of the order']
      errors.push(fieldError(`items.${index}.line`, code, rule))
      continue
    }
    seen.add(line.id)
    const rest = restOf(line)
    if (rest === 0) errors.push(fieldError(`items.${index}.line`, 'not_allowed', 'has nothing left to refund'))
    else if (isAmount(amount ?? rest, rest)) parts.push(partOf(line, amount ?? rest))
    else errors.push(fieldError(`items.${index}.amount`, 'range', `must be from 1 to ${rest}, in the smallest unit of ${currency}`))
  }
  if (errors.length > 0) throw failed(errors)
  return parts
}

function partOf(line: RefundableLine, amount: number): RefundPart {
  const refunded = line.refunded + amount
  const tax = Math.max(0, portion(line.tax, refunded, line.total) - line.refundedTax)
  return { line, amount, tax, isRest: refunded === line.total }
}

const isAmount = (amount: number, rest: number): boolean => Number.isSafeInteger(amount) && amount >= 1 && amount <= rest

function failed(details: ProblemDetail[]): Problem {
  const [first, ...others] = details
  return new Problem('validation_failed', { ...(first && others.length === 0 && { description: first.message }), details })
}
