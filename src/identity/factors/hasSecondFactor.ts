import type { ExpressionWrapper, SqlBool } from 'kysely'
import type { Builder } from '../../database/statements/expressions.ts'
import type { DB } from '../../gen/kysely/tables.ts'

export const hasSecondFactor = (account: Builder<'account'>): ExpressionWrapper<DB, 'account', SqlBool> =>
  account.or([
    account.exists(account.selectFrom('passkey').select('passkey.id').whereRef('passkey.account_id', '=', 'account.id')),
    account.exists(
      account
        .selectFrom('authenticator_app')
        .select('authenticator_app.created_at')
        .whereRef('authenticator_app.account_id', '=', 'account.id'),
    ),
  ])
