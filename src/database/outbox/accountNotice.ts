import type { EmailFacts, Messages } from './sendMessage.ts'

/** The e-mails that inform a person of what was done with their account, so that they can react if it was not them. */
export type NoticeKind =
  | 'new_sign_in'
  | 'app_connected'
  | 'app_connected_imitating'
  | 'app_connected_website'
  | 'app_connected_approved'
  | 'password_changed'
  | 'passkey_added'
  | 'passkey_removed'
  | 'authenticator_added'
  | 'authenticator_removed'
  | 'recovery_code_used'
  | 'recovery_codes_renewed'
  | 'deletion_requested'
  | 'deletion_canceled'

/** The values that follow from the school, the account and the request. */
type DerivedName = 'facts' | 'reset' | 'apps' | 'security'

/** The values of a notice that only its sender knows. */
export type NoticeValues<Kind extends NoticeKind> = Omit<Messages[Kind], DerivedName>

/** One event of an account. Contains JSON values only, because it is stored. */
export interface Notice<Kind extends NoticeKind = NoticeKind> {
  account_id: string
  kind: Kind
  at: string
  from?: EmailFacts['from']
  values: NoticeValues<Kind>
}
