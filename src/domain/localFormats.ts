/** A locale that this runtime can write in; English where it cannot. */
const known = (locale: string): string => {
  try {
    return Intl.getCanonicalLocales(locale)[0] ?? 'en'
  } catch {
    return 'en'
  }
}

/** `€49.00 / 1 month`, as it is written in that language; what is paid once has no time. */
export function priceText(
  { amount, currency, interval, interval_count }: { amount: number; currency: string; interval: string; interval_count: number },
  locale: string,
): string {
  const money = new Intl.NumberFormat(known(locale), { style: 'currency', currency })
  const text = money.format(amount / 10 ** (money.resolvedOptions().maximumFractionDigits ?? 2))
  if (interval !== 'month' && interval !== 'year') return text
  const time = new Intl.NumberFormat(known(locale), { style: 'unit', unit: interval, unitDisplay: 'long' })
  return `${text} / ${time.format(interval_count)}`
}

/** `March 1, 2026 at 6:30 PM`, as it is written in that language and as the clock stands there. */
export const timeText = (time: string, timeZone: string, locale: string): string =>
  new Intl.DateTimeFormat(known(locale), { dateStyle: 'long', timeStyle: 'short', timeZone }).format(new Date(time))
