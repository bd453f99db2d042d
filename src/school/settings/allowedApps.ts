import { z } from 'zod'
import { Problem } from '../../base/problem.ts'
import { listOf } from '../../engine/declare/elementList.ts'
import { defineAction, defineCollectionRead } from '../../engine/declare/typedOperations.ts'
import type { Writing } from '../../engine/write/writing.ts'
import { readAppRules } from '../../identity/apps/schoolAppRules.ts'

const app = z.object({
  app: z.string().max(40).meta({ description: 'Id of an app that the operator offers.', example: 'claude-ai' }),
})

export const offeredApp = z
  .object({
    id: z.string().meta({ description: 'Id of the app.', example: 'claude-ai' }),
    name: z.string().meta({ description: 'Name of the app.', example: 'claude.ai' }),
    client_id: z
      .string()
      .meta({ description: 'Address of its document, its client_id.', example: 'https://claude.ai/oauth/mcp-oauth-client-metadata' }),
    host: z.string().meta({ description: 'Host that vouches for the app.', example: 'claude.ai' }),
    allowed: z.boolean().meta({ description: 'True if an owner, or the operator, has allowed it.', example: false }),
    by_operator: z.boolean().meta({ description: 'True if the operator has allowed it: owners cannot change that.', example: false }),
  })
  .meta({ component: 'OfferedApp' })

/** The read that lists the apps which owners can allow. */
export const offeredAppsRead = defineCollectionRead({
  scope: 'read',
  id: 'listOfferedApps',
  summary: 'List the apps that an owner can allow',
  about: 'Apps that identify themselves by the address of a document on their own website, from the list of the operator.',
  roles: ['staff'],
  output: listOf(offeredApp, 'Apps in the order of the operator.'),
  pagedBy: 'id',
  async run({ database, externalServices }) {
    const row = await database.selectFrom('school').select('app_rules').executeTakeFirst()
    const { allowed_apps: allowed } = readAppRules(row?.app_rules)
    return {
      data: externalServices.apps.offered().map(({ id, name, clientId, isTrusted }) => ({
        ...{ id, name, client_id: clientId, host: new URL(clientId).host },
        ...{ allowed: isTrusted || allowed.includes(clientId), by_operator: isTrusted },
      })),
    }
  },
})

const changing = (isAllowed: boolean) => ({
  scope: 'write' as const,
  roles: ['staff'] as const,
  asksFirst: 'access' as const,
  parameters: app,
  requireCaller: requireOwner,
  async perform(
    { parameters, externalServices }: Pick<Writing<typeof app.shape>, 'parameters' | 'externalServices'>,
    { app_rules: stored }: { app_rules: unknown },
  ) {
    const found = externalServices.apps.offered().find(({ id }) => id === parameters.get('app'))
    if (!found) throw new Problem('not_found', { description: 'The operator does not offer this app.' })
    const rules = readAppRules(stored)
    if (rules.allowed_apps.includes(found.clientId) === isAllowed) return { isUnchanged: true }
    const others = rules.allowed_apps.filter((one) => one !== found.clientId)
    return { columns: { app_rules: JSON.stringify({ ...rules, allowed_apps: isAllowed ? [...others, found.clientId] : others }) } }
  },
})

/** @throws Problem access_denied for an admin: only owners decide which apps the school allows */
async function requireOwner({ caller }: Pick<Writing, 'caller'>): Promise<void> {
  if (caller.role !== 'owner') throw new Problem('access_denied', { description: 'Only an owner of the school can decide this.' })
}

/** The actions that allow an app, and that no longer allow it. */
export const appActions = {
  allow_app: defineAction('school', {
    ...changing(true),
    id: 'allowApp',
    at: 'apps/{app}/allow',
    summary: 'Allow an app that the operator offers to identify itself by its document',
  }),
  disallow_app: defineAction('school', {
    ...changing(false),
    id: 'disallowApp',
    at: 'apps/{app}/disallow',
    follows: 'allowApp',
    summary: 'Stop an app that identifies itself by its document',
  }),
}
