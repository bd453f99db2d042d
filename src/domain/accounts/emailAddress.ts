/**
 * Returns an e-mail address as accounts store it, or undefined if no account can have it (RFC 5321 section 4.5.3.1.3: 254 octets). Every
 * typed address passes this function before it is looked up, stored or counted.
 */
export function normaliseEmail(typed: string): string | undefined {
  const email = typed.trim().toLowerCase()
  return /^[^\s\p{Cc}\p{Cs}@]+@[^\s\p{Cc}\p{Cs}@]+$/u.test(email) && Buffer.byteLength(email) <= 254 ? email : undefined
}

// The dot-string of RFC 5321 section 4.1.2. It excludes quoted forms, so no character can end an address early.
const localPart = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Returns the address as accounts store it if mail can be sent to it, otherwise undefined. Non-ASCII addresses are rejected: several
 * spellings of one mailbox would each get a separate rate limit. Browsers send host names in their ASCII form.
 */
export function deliverableEmail(typed: string): string | undefined {
  const email = normaliseEmail(typed)
  if (email === undefined) return undefined
  const [local = '', host = ''] = email.split('@')
  return local.length <= 64 && localPart.test(local) && host.split('.').every((part) => label.test(part)) ? email : undefined
}
