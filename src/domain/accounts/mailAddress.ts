/**
 * An e-mail address as accounts store it, or undefined where no account can have it (RFC 5321 section 4.5.3.1.3: 254 octets). Every
 * address that somebody types goes through this one function before it is looked up, stored or counted.
 */
export function normaliseEmail(typed: string): string | undefined {
  const email = typed.trim().toLowerCase()
  return /^[^\s\p{Cc}\p{Cs}@]+@[^\s\p{Cc}\p{Cs}@]+$/u.test(email) && Buffer.byteLength(email) <= 254 ? email : undefined
}

// The dot-string of RFC 5321 section 4.1.2: nothing that would need quotes, and so nothing that could end an address early.
const localPart = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * An address that mail can be sent to, as accounts keep it, or undefined. Other alphabets are refused: several spellings of one
 * mailbox would each have a limit of their own. Browsers send the name of a host in its ASCII form.
 */
export function mailAddress(typed: string): string | undefined {
  const email = normaliseEmail(typed)
  if (email === undefined) return undefined
  const [local = '', host = ''] = email.split('@')
  return local.length <= 64 && localPart.test(local) && host.split('.').every((part) => label.test(part)) ? email : undefined
}
