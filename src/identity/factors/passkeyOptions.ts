import type { OwnPasskey } from './ownFactors.ts'
import type { RelyingParty } from './relyingParty.ts'

/** Milliseconds that the browser waits for the person. */
const timeout = 300_000

type Descriptor = { type: 'public-key'; id: string; transports: string[] }

/** Options of `navigator.credentials.create` in JSON (Web Authentication Level 3 section 5.4). */
export interface RegistrationOptions {
  rp: { id: string; name: string }
  user: { id: string; name: string; displayName: string }
  challenge: string
  pubKeyCredParams: { type: 'public-key'; alg: number }[]
  timeout: number
  excludeCredentials: Descriptor[]
  authenticatorSelection: { residentKey: 'required'; requireResidentKey: true; userVerification: 'required' }
  attestation: 'none'
}

/** Options of `navigator.credentials.get` in JSON (Web Authentication Level 3 section 5.5). */
export interface SignInOptions {
  rpId: string
  challenge: string
  timeout: number
  allowCredentials: Descriptor[]
  userVerification: 'required' | 'preferred'
}

/** COSE algorithms that browsers and authenticators support: ES256, RS256 and EdDSA. */
export const algorithms = [-7, -257, -8]

/** Returns the WebAuthn user handle of an account, which contains no personal data. */
export const userHandleOf = (accountId: string): string => Buffer.from(accountId.replaceAll('-', ''), 'hex').toString('base64url')

/** Asks for a passkey that signs in without a password. Authenticators that have one of `passkeys` refuse. Pure. */
export const registrationOptions = (
  party: RelyingParty,
  {
    challenge,
    schoolName,
    account,
    passkeys,
  }: {
    challenge: string
    schoolName: string
    account: { id: string; email: string; name: string }
    passkeys: readonly Pick<OwnPasskey, 'credentialId' | 'transports'>[]
  },
): RegistrationOptions => ({
  rp: { id: party.id, name: schoolName },
  user: { id: userHandleOf(account.id), name: account.email, displayName: account.name },
  challenge,
  pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
  timeout,
  excludeCredentials: passkeys.map(descriptor),
  authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
  attestation: 'none',
})

/**
 * Asks for one of `passkeys`; for any passkey of the school if there are none: then the page reveals nothing about accounts, and the answer
 * replaces the password, so the authenticator must verify the person. Pure.
 */
export const signInOptions = (
  party: RelyingParty,
  {
    challenge,
    passkeys = [],
    isVerified,
  }: { challenge: string; passkeys?: readonly Pick<OwnPasskey, 'credentialId' | 'transports'>[]; isVerified: boolean },
): SignInOptions => ({
  rpId: party.id,
  challenge,
  timeout,
  allowCredentials: passkeys.map(descriptor),
  userVerification: isVerified ? 'required' : 'preferred',
})

const descriptor = ({ credentialId, transports }: Pick<OwnPasskey, 'credentialId' | 'transports'>): Descriptor => ({
  type: 'public-key',
  id: credentialId,
  transports,
})
