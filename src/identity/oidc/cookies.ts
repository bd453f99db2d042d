import type { Configuration } from 'oidc-provider'
import type { Keyring } from '../../base/keyring.ts'

/**
 * Signed, HttpOnly, SameSite=Lax. On https the session's cookie is `__Host-` and those with a path are `__Secure-`,
 * so that no sibling host can plant them (RFC 6265bis section 4.1.3).
 */
export function cookies({ issuer, keyring }: { issuer: string; keyring: Keyring }): Pick<Configuration, 'cookies'> {
  const secure = issuer.startsWith('https:')
  return {
    cookies: {
      keys: cookieKeys(keyring),
      names: {
        session: sessionCookieName(issuer),
        interaction: secure ? '__Secure-sg_interaction' : 'sg_interaction',
        resume: secure ? '__Secure-sg_resume' : 'sg_resume',
      },
      long: sessionCookie(issuer),
      short: shared(issuer),
    },
  }
}

export const sessionCookieName = (issuer: string): string => (issuer.startsWith('https:') ? '__Host-sg_session' : 'sg_session')

const shared = (issuer: string) =>
  ({ signed: true, httpOnly: true, sameSite: 'lax', overwrite: true, secure: issuer.startsWith('https:') }) as const

export const sessionCookie = (issuer: string) => ({ ...shared(issuer), path: '/' }) as const

/** The engine and the application around it must sign with the same keys. */
export const cookieKeys = (keyring: Keyring): string[] => keyring.keys('cookies').map((key) => key.toString('base64url'))
