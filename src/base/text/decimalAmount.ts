/** Writes an amount of the smallest unit as a decimal: `8900` cents → `89.00`. The currency determines the number of decimal places. */
export function decimalAmount({ amount, currency }: { amount: number; currency: string }): string {
  const { maximumFractionDigits: digits = 2 } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
  const text = String(amount).padStart(digits + 1, '0')
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
}

/** Returns the amount in the smallest unit that a person has typed: `89,5` → `8950`. Undefined for other texts, and for too many decimals. */
export function amountOf(text: string, currency: string): number | undefined {
  const { maximumFractionDigits: digits = 2 } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
  const [, whole, decimals = ''] = /^(\d{1,9})(?:[.,](\d+))?$/.exec(text.replace(/\s/g, '')) ?? []
  return whole === undefined || decimals.length > digits ? undefined : Number(whole + decimals.padEnd(digits, '0'))
}
