import bowser from 'bowser'

/** A browser or a program as its User-Agent header names it, unchecked: `Firefox` on `Windows`. */
export interface BrowserName {
  browser?: string
  system?: string
}

/** Longer headers are cut: the parser tries some hundred patterns. */
const longest = 300

/** Returns the names in a User-Agent header (RFC 9110 section 10.1.5); empty if it names nothing known. */
export function browserName(userAgent: string | undefined): BrowserName {
  if (!userAgent) return {}
  const { browser, os } = bowser.parse(userAgent.slice(0, longest))
  return { ...(browser.name && { browser: browser.name.slice(0, 40) }), ...(os.name && { system: os.name.slice(0, 40) }) }
}
