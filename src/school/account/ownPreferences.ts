import type { RawBuilder } from 'kysely'
import type { Builder } from '../../database/statements/expressions.ts'
import { marketingPreferences } from '../notifications/notificationPreferences.ts'
import { currentPreferences } from '../notifications/preferenceExpressions.ts'

/** Selects the e-mails that the person of an account receives. Without their consent, marketing is not among them. */
export const ownPreferences = (account: Builder<'account'>): RawBuilder<unknown> =>
  currentPreferences(
    account.ref('account.preferences'),
    account.selectFrom('person').select('person.marketing_consent').whereRef('person.account_id', '=', 'account.id'),
    marketingPreferences,
  )
