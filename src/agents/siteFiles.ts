import { schoolAbout } from './schoolAbout.ts'
import { paths, type SchoolFacts } from './schoolFacts.ts'

const dayMs = 86_400_000

/**
 * Renders `/robots.txt` (RFC 9309) with content signals (contentsignals.org): the public documents may be searched and used as the input of
 * a model. Training is left to the school: no signal means that it neither permits nor forbids it.
 */
export function robotsTxt({ issuer }: Pick<SchoolFacts, 'issuer'>): string {
  return [
    'User-agent: *',
    'Content-Signal: search=yes, ai-input=yes',
    'Allow: /',
    'Disallow: /account',
    'Disallow: /oauth',
    'Disallow: /api/oauth',
    '',
    `Sitemap: ${issuer}${paths.sitemap}`,
    '',
  ].join('\n')
}

/**
 * Renders `/.well-known/security.txt` (RFC 9116) with the contact of the configuration, else that of the school. Undefined without one:
 * the file must have a contact.
 */
export async function securityTxt(facts: SchoolFacts): Promise<string | undefined> {
  const contact = facts.securityContact ?? (await contactOf(facts))
  if (contact === undefined) return undefined
  const expires = new Date(Math.floor(Date.now() / dayMs) * dayMs + 180 * dayMs).toISOString()
  return `Contact: ${contact}\nExpires: ${expires}\nCanonical: ${facts.issuer}${paths.securityTxt}\n`
}

async function contactOf(facts: SchoolFacts): Promise<string | undefined> {
  const { contact_email: email, support_url: url } = await schoolAbout(facts)
  // A line break in a value of the school would begin another field.
  const isOneLine = (text: string): boolean => !/[\s\p{Cc}\p{Zl}\p{Zp}]/u.test(text)
  if (email && isOneLine(email)) return `mailto:${encodeURI(email)}`
  return url?.startsWith('https://') && isOneLine(url) ? url : undefined
}
