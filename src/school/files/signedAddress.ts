/** Signs with the key of one purpose. Passed in, so that this module contains no key. */
export interface AddressSigner {
  sign(text: string): string
  verify(text: string, signature: string): boolean
  /** The time by which signatures expire, in milliseconds of the epoch. */
  now(): number
}

/** Returns the query that makes a URL valid until a point in time. */
export interface AddressSignature {
  expires: string
  signature: string
}

/** Signs the values of a URL, such as a school and a file, until `expiresAt`. */
export function signAddress(signer: AddressSigner, subject: readonly string[], expiresAt: Date): AddressSignature {
  const expires = String(Math.floor(expiresAt.getTime() / 1000))
  return { expires, signature: signer.sign(textOf(subject, expires)) }
}

/** Returns whether a signature is valid, expired or forged. The signed values are not interpreted. */
export function checkAddress(
  signer: AddressSigner,
  subject: readonly string[],
  { expires, signature }: { expires: unknown; signature: unknown },
): 'valid' | 'expired' | 'invalid' {
  if (typeof expires !== 'string' || typeof signature !== 'string' || !/^\d{1,12}$/.test(expires)) return 'invalid'
  if (!signer.verify(textOf(subject, expires), signature)) return 'invalid'
  return Number(expires) * 1000 > signer.now() ? 'valid' : 'expired'
}

const textOf = (subject: readonly string[], expires: string): string => JSON.stringify([...subject, expires])
