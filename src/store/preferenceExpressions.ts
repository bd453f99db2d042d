import { type Expression, type SqlBool, sql } from 'kysely'

/** True unless the person turned these e-mails off. `preferences` is the column of the account; null without an account. */
export const isNotTurnedOff = (preferences: Expression<unknown>, name: string): Expression<SqlBool> =>
  sql<SqlBool>`(${preferences} ->> ${name}) IS DISTINCT FROM 'none'`

/** True unless the person refused marketing. `consent` is the column of the person; null until they choose. */
export const isMarketingNotRefused = (consent: Expression<unknown>): Expression<SqlBool> =>
  sql<SqlBool>`(${consent} ->> 'granted') IS DISTINCT FROM 'false'`

/** The preferences with these e-mails turned off. */
export const turnedOff = (preferences: Expression<unknown>, name: string): Expression<string> =>
  sql<string>`${preferences} || ${JSON.stringify({ [name]: 'none' })}::jsonb`
