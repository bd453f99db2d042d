const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

/** True for a current two-letter code of ISO 3166-1, such as GB; false for an alias such as UK. */
export function isCountry(code: string): boolean {
  if (!/^[A-Z]{2}$/.test(code) || code === 'ZZ') return false
  return names.of(code) !== undefined && new Intl.Locale(`und-${code}`).region === code
}
