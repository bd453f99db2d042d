/**
 * Authentication methods in `amr` (RFC 8176). `pop` proves possession of a key whose storage is unknown (OpenID Connect EAP ACR Values
 * section 5), `swk` of one that software may copy.
 */
export const methods = {
  password: ['pwd'],
  /** A code from an authenticator app, or a recovery code, in addition to the password. */
  code: ['otp', 'mfa'],
  /** A key, and a PIN or a fingerprint on the device, or a key in addition to the password. */
  passkey: ['pop', 'user', 'mfa'],
  syncedPasskey: ['swk', 'user', 'mfa'],
} as const satisfies Record<string, readonly string[]>

export const isMultiFactor = (amr: readonly string[]): boolean => amr.includes('mfa')
