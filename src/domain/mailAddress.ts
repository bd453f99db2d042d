import { normaliseEmail } from './signIn.ts'

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
