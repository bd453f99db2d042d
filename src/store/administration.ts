import type { PrismaClient } from '../gen/prisma/client.ts'
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

/** Returns the live grants of a school, newest first; those of one account or one client if named. */
export async function listGrants(
  prisma: PrismaClient,
  { schoolId, accountId, clientId }: InSchool & { accountId?: string | undefined; clientId?: string | undefined },
): Promise<ListedGrant[]> {
  const grants = await prisma.oidc_grant.findMany({
    where: {
      ...isLive(schoolId),
      ...(accountId !== undefined && { account_id: accountId }),
      ...(clientId !== undefined && { client_id: clientId }),
    },
    include: { account: { select: { email: true } } },
    orderBy: [{ created_at: 'desc' }, { id: 'asc' }],
  })
  const ids = [...new Set(grants.map(({ client_id }) => client_id))]
  const clients = await prisma.oidc_client.findMany({
    where: { school_id: schoolId, id: { in: ids } },
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

/** Returns the number of live grants of a client. */
export async function countGrants(prisma: PrismaClient, { schoolId, clientId }: InSchool & { clientId: string }): Promise<number> {
  return await prisma.oidc_grant.count({ where: { ...isLive(schoolId), client_id: clientId } })
}

/** Returns a live grant. */
export async function findGrant(
  prisma: PrismaClient,
  { schoolId, id }: InSchool & { id: string },
): Promise<{ account_id: string; client_id: string } | undefined> {
  const grant = await prisma.oidc_grant.findFirst({ where: { ...isLive(schoolId), id }, select: { account_id: true, client_id: true } })
  return grant ?? undefined
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

const isLive = (schoolId: string) => ({ school_id: schoolId, revoked_at: null, expires_at: { gt: new Date() } })

const asObject = (json: unknown): Record<string, unknown> => (json ?? {}) as Record<string, unknown>

const latest = (one: Date | null, other: Date | null): Date | null => (one && other ? (one > other ? one : other) : (one ?? other))

/** A client with the values that its text columns can have. */
const clientRow = ({
  id,
  created_at,
  registered_via,
  metadata,
  last_used_at,
  disabled_at,
  disabled_by,
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
})
