import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'

/** True unless the person turned these e-mails off. `preferences` is the column of the account; null without an account. */
export const isNotTurnedOff = (preferences: Expression<unknown>, name: string): Expression<SqlBool> =>
  sql<SqlBool>`(${preferences} ->> ${name}) IS DISTINCT FROM 'none'`

/**
 * True if the person agreed to marketing e-mails: by choosing them, or with their consent to marketing, unless they turned these e-mails
 * off. `consent` is the column of the person; null until they choose.
 */
export const isMarketingWanted = (preferences: Expression<unknown>, consent: Expression<unknown>, name: string): Expression<SqlBool> =>
  sql<SqlBool>`((${consent} ->> 'granted') IS DISTINCT FROM 'false'
    AND coalesce(${preferences} ->> ${name}, CASE ${consent} ->> 'granted' WHEN 'true' THEN 'email' END) = 'email')`

/** The preferences, with what applies to marketing e-mails that the person has not chosen. */
export const currentPreferences = (
  preferences: Expression<unknown>,
  consent: Expression<unknown>,
  marketing: readonly string[],
): RawBuilder<unknown> => {
  const all = (channel: string): Expression<unknown> =>
    sql`${JSON.stringify(Object.fromEntries(marketing.map((name) => [name, channel])))}::jsonb`
  return sql`CASE ${consent} ->> 'granted' WHEN 'false' THEN ${preferences} || ${all('none')} WHEN 'true' THEN ${all('email')} || ${preferences}
    ELSE ${all('none')} || ${preferences} END`
}

/** The preferences with these e-mails turned off. */
export const turnedOff = (preferences: Expression<unknown>, name: string): Expression<string> =>
  sql<string>`${preferences} || ${JSON.stringify({ [name]: 'none' })}::jsonb`
