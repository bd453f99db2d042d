import { z } from 'zod'
import { accountApprovalPath } from '../../base/accountPaths.ts'
import type { PersonCaller } from '../../base/caller.ts'
import { hashedId, toPublicId } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import type { School } from '../../base/school.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import { waitingRequests } from '../../database/tables/waitingRequests.ts'
import { timestamp } from '../../engine/declare/fields.ts'
import { defineRead } from '../../engine/declare/typedOperations.ts'
import type { ExternalServices } from '../../engine/externalServices.ts'
import type { Reading } from '../../engine/read/reading.ts'
import type { thresholdNames } from '../../identity/apps/schoolAppRules.ts'
import { appTerms } from '../apps/changeAppRules.ts'
import { authorization, ownId } from './accountFields.ts'
import { presentAuthorizations } from './ownAccount.ts'

const limit = (description: string) => z.int().nullable().meta({ description, example: null })

const contract = z
  .object({
    object: z.literal('app_contract').meta({ description: 'Type of the object.' }),
    authorization: authorization.meta({ description: 'The authorization of the token.', example: {} }),
    refused_scopes: z.array(z.string()).meta({ description: 'Scopes that the person refused.', example: ['orders:write'] }),
    withheld_scopes: z
      .array(z.string())
      .meta({ description: 'Granted scopes that the role or the school does not allow now.', example: [] }),
    asks_first: z.boolean().meta({ description: 'True if the person decides before what cannot be undone.', example: false }),
    rules: z
      .object({
        longest_days: limit('Longest access in days.'),
        pauses_unusual: z.boolean().meta({ description: 'True if mass deletion pauses the app.', example: false }),
        asks_above: z
          .object({ rows: limit('Changed objects.'), people: limit('People concerned.'), amount: limit('Money, in the smallest unit.') })
          .meta({ description: 'A request above one of these asks first.', example: {} }),
        second_person: z.boolean().meta({ description: 'True if another owner or admin decides about deletions.', example: false }),
        outgoing_delay: z.int().meta({ description: 'Seconds for which its e-mails and webhooks wait.', example: 300 }),
      })
      .meta({ description: 'Rules of the school.', example: {} }),
    waiting: z
      .array(
        z.object({
          id: ownId('apr', 'Id of the request.'),
          name: z.string().nullable().meta({ description: 'Name of the proposal; null for a single request.', example: null }),
          operation: z.string().meta({ description: 'Operation of its first request.', example: 'deleteStudent' }),
          url: z.string().meta({ description: 'Page of the decision.', example: 'https://school.example/account/approvals/apr_…' }),
          created_at: timestamp().meta({ description: 'When it was made.', example: '2026-03-01T09:30:00.000Z' }),
          expires_at: timestamp().meta({ description: 'When it expires.', example: '2026-03-01T10:30:00.000Z' }),
        }),
      )
      .meta({ description: 'Requests that wait for a decision.', example: [] }),
    limits: z
      .array(
        z.object({
          name: z.string().meta({ description: 'Name.', example: 'default' }),
          requests: z.int().meta({ description: 'Requests in total.', example: 600 }),
          remaining: z.int().meta({ description: 'Requests left.', example: 598 }),
          resets_in: z.int().meta({ description: 'Seconds until it starts again.', example: 42 }),
        }),
      )
      .meta({ description: 'Rate limits, as in the header `RateLimit`.', example: [] }),
  })
  .meta({ component: 'AppContract' })

export interface AppContract {
  rules: {
    longest_days: number | null
    pauses_unusual: boolean
    asks_above: Record<(typeof thresholdNames)[number], number | null>
    second_person: boolean
    outgoing_delay: number
  }
  waiting: { id: string; name: string | null; operation: string; url: string; created_at: Date; expires_at: Date }[]
  limits: { name: string; requests: number; remaining: number; resets_in: number }[]
}

/** Returns what an app may do with a grant, besides its scopes. The API and the page of the app show it. */
export async function appContract(
  { database, school, externalServices }: { database: SchoolReader; school: School; externalServices: Pick<ExternalServices, 'apps'> },
  { grantId, clientId, accountId }: { grantId: string; clientId: string; accountId: string },
): Promise<AppContract> {
  const [terms, waiting, limits] = await Promise.all([
    appTerms(database, clientId),
    waitingRequests(database, { grantId }),
    externalServices.apps.limitsLeft(school.id, { clientId, accountId }),
  ])
  return {
    rules: {
      longest_days: terms.longestDays ?? null,
      pauses_unusual: terms.isWatched,
      asks_above: terms.askAbove,
      second_person: terms.needsSecond,
      outgoing_delay: externalServices.apps.outgoingDelay(),
    },
    waiting: waiting.map(({ id, name, operation, created_at, expires_at }) => {
      const publicId = toPublicId('apr', id)
      return { id: publicId, name, operation, url: school.issuer + accountApprovalPath(publicId), created_at, expires_at }
    }),
    limits,
  }
}

/** @throws Problem not_found for a caller who uses no app */
async function readContract(reading: Reading, accountId: string) {
  const { caller, externalServices, school } = reading
  const { clientId, grantId, asksFirst = false, withheldScopes = new Set() }: Partial<PersonCaller> = caller.kind === 'person' ? caller : {}
  const granted = clientId ? await externalServices.authorizations.list(school.id, accountId) : []
  const own = granted.find((one) => one.grantId === grantId)
  if (!own || !clientId || grantId === undefined)
    throw new Problem('not_found', { description: 'Only an app has an authorization: call this with its access token.' })
  const presented = await presentAuthorizations(reading, school, accountId)
  return {
    object: 'app_contract',
    authorization: presented.find(({ id }) => id === hashedId('aut', grantId)),
    refused_scopes: [...own.refusedScopes].toSorted(),
    withheld_scopes: [...withheldScopes].toSorted(),
    asks_first: asksFirst,
    ...(await appContract(reading, { grantId, clientId, accountId })),
  }
}

export const contractRead = {
  'authorizations/current': defineRead('account', {
    scope: 'read',
    id: 'getCurrentAuthorization',
    summary: 'Get what the calling app may do',
    output: contract,
    run: (reading, { id }) => readContract(reading, id),
  }),
}
