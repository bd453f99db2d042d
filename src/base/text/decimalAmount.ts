/** Writes an amount of the smallest unit as a decimal: `8900` cents → `89.00`. The currency determines the number of decimal places. */
export function decimalAmount({ amount, currency }: { amount: number; currency: string }): string {
  const { maximumFractionDigits: digits = 2 } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
  const text = String(amount).padStart(digits + 1, '0')
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
}
