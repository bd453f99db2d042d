import { domainToASCII } from 'node:url'

// The dot-string of RFC 5321 section 4.1.2. It excludes quoted forms, so no character can end an address early.
const local = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*"
const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'

/** The form of every address that mail can be sent to. A host has at least one label. */
export const emailForm = new RegExp(`^${local}@${label}(\\.${label})*$`, 'i')

/**
 * Returns an e-mail address as accounts store it, or undefined if no account can have it (RFC 5321 section 4.5.3.1.3: 254 octets): in lower
 * case, with the host in its ASCII form (RFC 5891). Every typed address passes this function before it is looked up, stored or counted.
 */
export function normaliseEmail(typed: string): string | undefined {
  const [name = '', host = '', ...more] = typed.trim().toLowerCase().split('@', 3)
  if (more.length > 0 || name === '' || host === '' || host.length > 255) return undefined
  const email = `${name}@${/^[\x21-\x7e]+$/.test(host) ? host : domainToASCII(host)}`
  return /^[^\s\p{Cc}\p{Cs}@]+@[^\s\p{Cc}\p{Cs}@]+$/u.test(email) && Buffer.byteLength(email) <= 254 ? email : undefined
}

/** True for an address below `invalid`, whose names do not exist (RFC 6761 section 6.4): a relay could only return the message. */
export const isInvalidHost = (email: string): boolean => /\.invalid$/i.test(email)

/**
 * Returns the address as accounts store it if mail can be sent to it, otherwise undefined. Names outside ASCII are rejected: several
 * spellings of one mailbox would each get a separate rate limit.
 */
export function deliverableEmail(typed: string): string | undefined {
  const email = normaliseEmail(typed)
  return email !== undefined && email.indexOf('@') <= 64 && emailForm.test(email) ? email : undefined
}
