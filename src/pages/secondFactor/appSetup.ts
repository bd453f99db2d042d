import type { Keyring } from '../../base/keyring.ts'
import { appUri } from '../../identity/factors/appSecret.ts'
import type { FactorSetup } from '../factorSetup.ts'
import { qrCode } from '../qrCode.ts'
import type { Texts } from '../texts.ts'

const lifeSeconds = 900

/** Seals the secret that a page shows, so that the form can contain it until its first code is checked. */
export const sealSetup = (keyring: Keyring, { accountId, secret }: { accountId: string; secret: string }): string =>
  keyring.seal('authenticator apps', JSON.stringify({ accountId, secret, until: keyring.now() + lifeSeconds * 1000 }))

/** Returns the secret that a page has shown to this account within the last 15 minutes. */
export function openSetup(keyring: Keyring, { accountId, sealed }: { accountId: string; sealed: string }): string | undefined {
  const opened = keyring.tryOpen('authenticator apps', sealed.slice(0, 2000))
  if (opened === undefined) return undefined
  const content: Record<string, unknown> = JSON.parse(opened)
  const isOwn = content.accountId === accountId && typeof content.until === 'number' && content.until > keyring.now()
  return isOwn && typeof content.secret === 'string' ? content.secret : undefined
}

export async function appQr(
  texts: Texts,
  { secret, school, label }: { secret: string; school: string; label: string },
): Promise<FactorSetup['qr']> {
  return {
    ...qrCode(await appUri(secret, { school, label })),
    label: texts.text('app_setup.qr'),
    typed: texts.text('app_setup.typed'),
    secret: secret.replaceAll(/(.{4})(?!$)/g, '$1 '),
  }
}
