import type { ExpressionWrapper, SqlBool } from 'kysely'
import type { Builder } from '../../database/statements/expressions.ts'
import type { DB } from '../../gen/kysely/tables.ts'

export const hasSecondFactor = (account: Builder<'account'>): ExpressionWrapper<DB, 'account', SqlBool> =>
  account.or([
    account.exists(account.selectFrom('passkey').whereRef('passkey.account_id', '=', 'account.id')),
    account.exists(account.selectFrom('authenticator_app').whereRef('authenticator_app.account_id', '=', 'account.id')),
  ])
