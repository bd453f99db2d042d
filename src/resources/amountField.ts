interface OrderAmounts {
  currency: string
  subtotal_amount: string | number
  discount_amount: string | number
  tax_amount: string | number
  total_amount: string | number
  refunded_amount: string | number
  refunded_tax_amount: string | number
}
type Amount = Exclude<keyof OrderAmounts, 'currency'>

/** Derives an amount of the order from one column. */
export const amountField = <Column extends Amount>(column: Column) => ({
  from: [column, 'currency'] as const,
  of: (row: Pick<OrderAmounts, 'currency'> & Record<Column, string | number>) => ({ amount: Number(row[column]), currency: row.currency }),
})
