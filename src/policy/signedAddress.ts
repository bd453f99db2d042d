/** Signs with a key that one purpose has. Handed in, so that no key stands here. */
export interface AddressSigner {
  sign(text: string): string
  verify(text: string, signature: string): boolean
}

/** The query that opens an address until a point in time. */
export interface AddressSignature {
  expires: string
  signature: string
}

/** Signs what an address names, such as a school and a file, until `expiresAt`. */
export function signAddress(signer: AddressSigner, subject: readonly string[], expiresAt: Date): AddressSignature {
  const expires = String(Math.floor(expiresAt.getTime() / 1000))
  return { expires, signature: signer.sign(textOf(subject, expires)) }
}

/** What a signature is worth now. Nothing is said of what it names. */
export function checkAddress(
  signer: AddressSigner,
  subject: readonly string[],
  { expires, signature }: { expires: unknown; signature: unknown },
  now: Date,
): 'valid' | 'expired' | 'invalid' {
  if (typeof expires !== 'string' || typeof signature !== 'string' || !/^\d{1,12}$/.test(expires)) return 'invalid'
  if (!signer.verify(textOf(subject, expires), signature)) return 'invalid'
  return Number(expires) * 1000 > now.getTime() ? 'valid' : 'expired'
}

const textOf = (subject: readonly string[], expires: string): string => JSON.stringify([...subject, expires])
