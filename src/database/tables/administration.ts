import type { PrismaClient } from '../../gen/prisma/client.ts'
import type { ClientRow, RegisteredVia } from './clients.ts'
import type { GrantRow } from './grants.ts'
import type { SigningKeyRow } from './signingKeys.ts'

// The queries of the operator's commands. They use Prisma, which a serving process does not load.

type InSchool = { schoolId: string }

/** Returns every client of a school, newest first; those that were registered in these ways if given. */
export async function listClients(
  prisma: PrismaClient,
  { schoolId, via }: InSchool & { via?: readonly RegisteredVia[] },
): Promise<ClientRow[]> {
  const [clients, uses] = await Promise.all([
    prisma.oidc_client.findMany({
      where: { school_id: schoolId, ...(via && { registered_via: { in: [...via] } }) },
      orderBy: [{ created_at: 'desc' }, { id: 'asc' }],
    }),
    prisma.oidc_grant.groupBy({
      by: ['client_id'],
      where: { school_id: schoolId },
      _max: { created_at: true, last_used_at: true },
    }),
  ])
  const lastUses = new Map(uses.map(({ client_id, _max: { created_at, last_used_at } }) => [client_id, latest(created_at, last_used_at)]))
  return clients.map((client) => ({ ...clientRow(client), last_used_at: lastUses.get(client.id) ?? null }))
}

/** Returns a client, disabled or not. */
export async function findClient(prisma: PrismaClient, { schoolId, id }: InSchool & { id: string }): Promise<ClientRow | undefined> {
  const client = await prisma.oidc_client.findUnique({ where: { school_id_id: { school_id: schoolId, id } } })
  return client ? clientRow(client) : undefined
}

/** A live grant, the e-mail address of its account and the name of its client. */
export interface ListedGrant extends GrantRow {
  email: string
  client_name: string | null
}

export interface GrantFilter extends InSchool {
  id?: string | undefined
  accountId?: string | undefined
  clientId?: string | undefined
  /** Only grants that were given before this time. */
  before?: Date | undefined
}

/** Returns the live grants of a school that meet the filter, newest first. */
export async function listGrants(prisma: PrismaClient, filter: GrantFilter): Promise<ListedGrant[]> {
  const grants = await prisma.oidc_grant.findMany({
    where: isLive(filter),
    include: { account: { select: { email: true } } },
    orderBy: [{ created_at: 'desc' }, { id: 'asc' }],
  })
  const ids = [...new Set(grants.map(({ client_id }) => client_id))]
  const clients = await prisma.oidc_client.findMany({
    where: { school_id: filter.schoolId, id: { in: ids } },
    select: { id: true, metadata: true },
  })
  const names = new Map(clients.map(({ id, metadata }) => [id, String(asObject(metadata).client_name ?? '')]))
  return grants.map(({ account, payload, ...grant }) => ({
    ...grant,
    payload: asObject(payload),
    email: account.email,
    client_name: names.get(grant.client_id) ?? null,
  }))
}

export async function countGrants(prisma: PrismaClient, filter: GrantFilter): Promise<number> {
  return await prisma.oidc_grant.count({ where: isLive(filter) })
}

/** Returns the keys of a school that are still published: all but those retired longer than `keepHours` ago. */
export async function listSigningKeys(
  prisma: PrismaClient,
  { schoolId, keepHours }: InSchool & { keepHours: number },
): Promise<Omit<SigningKeyRow, 'private_jwk'>[]> {
  const since = new Date(Date.now() - keepHours * 3_600_000)
  return await prisma.signing_key.findMany({
    where: { school_id: schoolId, OR: [{ retired_at: null }, { retired_at: { gt: since } }] },
    omit: { private_jwk: true },
    orderBy: [{ active_at: 'desc' }, { created_at: 'desc' }, { kid: 'asc' }],
  })
}

/** Returns the last run of every job. */
export const listJobRuns = (prisma: PrismaClient) => prisma.job_run.findMany()

export interface OutboxListing extends InSchool {
  kind?: string | undefined
  /** Only deliveries to this webhook endpoint, with their events. */
  endpoint?: string | undefined
  state?: string | undefined
  limit: number
}

/** Lists rows of the outbox, newest first. Payloads other than the events of webhooks are sealed, and left out. */
export async function listOutbox(prisma: PrismaClient, { schoolId, kind, endpoint, state, limit }: OutboxListing) {
  const rows = await prisma.outbox.findMany({
    where: {
      school_id: schoolId,
      ...(kind !== undefined && { kind }),
      ...(endpoint !== undefined && { kind: 'webhook', target: endpoint }),
      ...(state !== undefined && { state }),
    },
    omit: { payload: endpoint === undefined },
    orderBy: { id: 'desc' },
    take: limit,
  })
  return rows.map(({ id, payload, ...row }) => ({ ...row, id: String(id), event: payload ? asObject(payload) : null }))
}

/** Returns the webhook endpoints of a school, with the number of their deliveries that wait and that were given up. */
export async function listEndpoints(prisma: PrismaClient, { schoolId }: InSchool) {
  const [endpoints, counts] = await Promise.all([
    prisma.webhook_endpoint.findMany({ where: { school_id: schoolId } }),
    prisma.outbox.groupBy({ by: ['target', 'state'], where: { school_id: schoolId, kind: 'webhook' }, _count: true }),
  ])
  return endpoints.map((endpoint) => {
    const countOf = (state: string): number => counts.find((one) => one.target === endpoint.name && one.state === state)?._count ?? 0
    return { ...endpoint, pending: countOf('pending'), dead: countOf('dead') }
  })
}

const isLive = ({ schoolId, id, accountId, clientId, before }: GrantFilter) => ({
  school_id: schoolId,
  revoked_at: null,
  expires_at: { gt: new Date() },
  ...(id !== undefined && { id }),
  ...(accountId !== undefined && { account_id: accountId }),
  ...(clientId !== undefined && { client_id: clientId }),
  ...(before !== undefined && { created_at: { lt: before } }),
})

const asObject = (json: unknown): Record<string, unknown> => (json ?? {}) as Record<string, unknown>

const latest = (one: Date | null, other: Date | null): Date | null => (one && other ? (one > other ? one : other) : (one ?? other))

const clientRow = ({
  id,
  created_at,
  registered_via,
  metadata,
  last_used_at,
  disabled_at,
  disabled_by,
  paused_at,
  agreed_at,
}: Omit<ClientRow, 'registered_via' | 'metadata' | 'disabled_by'> & {
  registered_via: string
  metadata: unknown
  disabled_by: string | null
}): ClientRow => ({
  id,
  created_at,
  registered_via: registered_via as RegisteredVia,
  metadata: asObject(metadata),
  last_used_at,
  disabled_at,
  disabled_by: disabled_by as ClientRow['disabled_by'],
  paused_at,
  agreed_at,
})
