import { accountPaths } from '../../base/accountPaths.ts'
import { toPublicId } from '../../base/ids.ts'
import type { OwnFactors } from '../../identity/factors/ownFactors.ts'
import type { Frame } from '../frame.ts'
import { plainText } from '../plainText.ts'
import type { TextPart, Texts } from '../texts.ts'
import type { AccountShell } from './accountPage.ts'

export interface SecurityPage extends Frame, AccountShell {
  introduction: string
  /** Why the last factor has no button; empty if it has one. */
  kept: string
  passkeys: {
    title: string
    explanation: string
    list: PasskeyEntry[]
    rename: string
    renameAction: string
    /** Empty if the passkey cannot be removed. */
    remove: string
    removeAction: string
    /** undefined if browsers do not offer passkeys at this address. */
    add: { href: string; label: string } | undefined
    unavailable: string
  }
  app: {
    title: string
    explanation: string
    state: TextPart[]
    setUp: { href: string; label: string }
    remove: { action: string; label: string } | undefined
  }
  /** undefined if there is no second factor that the codes could replace. */
  codes: { title: string; explanation: string; state: string; action: string; renew: string } | undefined
}

export interface PasskeyEntry {
  id: string
  name: string
  nameLabel: string
  facts: TextPart[][]
}

export function securityPage(
  texts: Texts,
  {
    factors,
    hasPasskeys,
    isKept,
  }: { factors: OwnFactors; hasPasskeys: boolean /** True if the only factor cannot be removed. */; isKept: boolean },
): Omit<SecurityPage, keyof Frame | keyof AccountShell> {
  const { passkeys, appSince, recoveryCodes } = factors
  return {
    introduction: texts.text('security.introduction'),
    kept: isKept ? texts.text('security.last_factor') : '',
    passkeys: {
      title: texts.text('security.passkeys'),
      explanation: texts.text('security.passkeys_explanation'),
      list: passkeys.map((passkey) => ({
        id: toPublicId('pky', passkey.id),
        name: plainText(passkey.name, 60),
        nameLabel: texts.text('security.passkey_name'),
        facts: [
          texts.parts('security.passkey_added', { date: texts.date(passkey.createdAt) }),
          passkey.lastUsedAt
            ? texts.parts('security.passkey_used', { date: texts.date(passkey.lastUsedAt) })
            : texts.parts('security.passkey_unused', {}),
        ],
      })),
      rename: texts.text('security.rename'),
      renameAction: accountPaths.renamePasskey,
      remove: isKept ? '' : texts.text('security.remove_passkey'),
      removeAction: accountPaths.removePasskey,
      add: hasPasskeys ? { href: accountPaths.passkey, label: texts.text('security.add_passkey') } : undefined,
      unavailable: hasPasskeys ? '' : texts.text('security.no_passkeys_here'),
    },
    app: {
      title: texts.text('security.app'),
      explanation: texts.text('security.app_explanation'),
      state: appSince ? texts.parts('security.app_since', { date: texts.date(appSince) }) : texts.parts('security.app_none', {}),
      setUp: { href: accountPaths.authenticatorApp, label: texts.text(appSince ? 'security.app_replace' : 'security.app_set_up') },
      remove: appSince && !isKept ? { action: accountPaths.removeAuthenticatorApp, label: texts.text('security.app_remove') } : undefined,
    },
    codes:
      appSince || passkeys.length > 0
        ? {
            title: texts.text('security.codes'),
            explanation: texts.text('security.codes_explanation'),
            state: texts.counted('security.codes_left', recoveryCodes),
            action: accountPaths.recoveryCodes,
            renew: texts.text('security.codes_renew'),
          }
        : undefined,
  }
}
