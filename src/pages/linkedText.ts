/** A part of a sentence, with the address to which it leads. */
export interface LinkedPart {
  text: string
  href?: string
}

/** Paths of pages for people that sentences name. */
const pagePaths = ['/account/apps', '/docs/apps', '/auth.md', '/']

/** Splits a sentence of the service, so that the URLs of these pages become links. Other URLs, such as those of endpoints, remain text. */
export function linkedText(text: string, issuer: string): LinkedPart[] {
  if (issuer === '') return [{ text }]
  const urls = pagePaths.map((path) => RegExp.escape(issuer + path)).join('|')
  return text
    .split(new RegExp(`((?:${urls})(?![\\w/-]))`))
    .filter((part) => part !== '')
    .map((part) => (pagePaths.some((path) => part === issuer + path) ? { text: part, href: part.slice(issuer.length) } : { text: part }))
}
