import type { Stored } from '../../database/connection/database.ts'
import type { Sql } from '../../database/connection/sql.ts'
import { grantFact } from '../../database/facts/fact.ts'
import { markedByTransaction, type NamedFacts } from '../../database/facts/factGuard.ts'
import { naturalBatches } from '../../database/statements/naturalBatches.ts'
import type { AuditEntry } from '../../database/tables/audit.ts'
import { pastDays } from '../../database/tables/connectedApps.ts'
import type { Artifact, Artifacts, EndedGrant, FoundArtifact, OwnedArtifact } from './artifacts.ts'
import { endGrantsTogether, type GrantEnd } from './endGrantsTogether.ts'
import { type MintingFacts, type MintingQuery, readMintingFacts, readMintingFactsTogether } from './mintingRows.ts'
import { auditRows, isNoUsedCode, jsonText, logged, type Redemption, redeemArtifacts, successorColumns } from './redeemArtifacts.ts'
import { redeemTogether } from './redeemTogether.ts'
import { revokeTokens, type TokenRevocation } from './revokeTokens.ts'

/** Operations of the durable store only: several writes in one statement, and deletion in batches. */
export interface DatabaseArtifacts extends Artifacts {
  /** Reads the rows from which tokens are issued: see `readMintingFacts`. */
  mintingFacts(query: MintingQuery): Promise<MintingFacts>
  /** Revokes a grant, and writes audit entries in the same statement. */
  endGrant(ended: EndedGrant, audit?: readonly AuditEntry[]): Promise<void>
  /** Revokes the grant of a refresh token, if both are live: see `revokeTokens`. Returns the grant. */
  revoke(revocation: TokenRevocation): Promise<string | undefined>
  /** The token endpoint's one write: see `redeemArtifacts`. */
  redeem(redemption: Redemption): Promise<boolean>
  /** Forgets successors whose window has passed, at most `limit`. Answers their number. */
  forgetSuccessors(limit: number): Promise<number>
  /** Removes expired artefacts, what expired grants left, and those grants; at most `limit` of each. Answers their number; 0: all done. */
  sweep(limit: number): Promise<number>
}

/**
 * Artefacts in the database. The statements are named, so that PostgreSQL plans them once per connection. Grants and clients are looked
 * at in the same statement: nothing is marked, nothing can be forgotten. Every statement locks artefacts before grants and clients.
 */
export function databaseArtifacts(sql: Sql, { naming }: Pick<NamedFacts, 'naming'> = markedByTransaction): DatabaseArtifacts {
  const found = async (text: string, values: unknown[], name: string) => {
    const [row] = await sql.query<FoundRow>(text, values, name)
    return row && presentRow(row)
  }
  const count = async (text: string, values: unknown[], name: string) => (await sql.query(text, values, name)).length

  const readFacts = naturalBatches<MintingQuery, MintingFacts>({
    alone: (query) => readMintingFacts(sql, query),
    together: (queries) => readMintingFactsTogether(sql, queries),
  })
  const redeem = naturalBatches<Redemption, boolean>({
    alone: (redemption) => redeemArtifacts(sql, redemption),
    together: (redemptions) => redeemTogether(sql, redemptions),
  })
  // A batch runs in the context of one of its requests, so it names the facts of all.
  const ending = <Result>(ends: readonly GrantEnd[], work: () => Promise<Result>): Promise<Result> =>
    naming(
      ends.map(({ schoolId, grantId }) => grantFact(schoolId, grantId)),
      work,
    )
  const end = naturalBatches<GrantEnd, true>({
    async alone(one) {
      const values = [one.schoolId, one.grantId, jsonText(auditRows(one.audit))]
      await ending([one], () => sql.query(endGrant, values, 'artifact_end_grant'))
      return true
    },
    together: (ends) => ending(ends, () => endGrantsTogether(sql, ends)),
  })
  const revokeAll = (all: readonly TokenRevocation[]) =>
    naming(
      all.map(({ schoolId, grantTag: key }) => ({ schoolId, kind: 'grant', key })),
      () => revokeTokens(sql, all),
    )
  const revoke = naturalBatches<TokenRevocation, { grantId: string | undefined }>({
    alone: async (one) => (await revokeAll([one]))[0] ?? { grantId: undefined },
    together: revokeAll,
  })

  return {
    together: (work) => work(),
    find: ({ schoolId, model, id }) => found(`${select} AND a.id = $3`, [schoolId, model, id], 'artifact_find'),
    findByUid: (schoolId, model, uid) =>
      found(`${select} AND a.uid = $3 ORDER BY a.created_at DESC LIMIT 1`, [schoolId, model, uid], 'artifact_find_by_uid'),
    async save(artifact) {
      await sql.query(save, valuesOf(artifact), 'artifact_save')
    },
    saveOnce: async (artifact) => (await count(saveOnce, valuesOf(artifact), 'artifact_save_once')) === 1,
    consume: async ({ schoolId, model, id }) => (await count(consume, [schoolId, model, id], 'artifact_consume')) === 1,
    async destroy({ schoolId, model, id }) {
      await sql.query(
        'DELETE FROM oidc_artifact WHERE school_id = $1 AND model = $2 AND id = $3',
        [schoolId, model, id],
        'artifact_destroy',
      )
    },
    mintingFacts: readFacts,
    async endGrant({ schoolId, grantId }, audit = []) {
      if (audit.some(({ school_id }) => school_id !== schoolId)) throw new Error('a revocation cannot write into another school')
      await end({ schoolId, grantId, audit })
    },
    async endClient({ schoolId, clientId }) {
      await sql.query(endClient, [schoolId, clientId], 'artifact_end_client')
    },
    async restoreClient({ schoolId, clientId }) {
      await sql.query(restoreClient, [schoolId, clientId], 'artifact_restore_client')
    },
    async findOfAccount(schoolId, model, accountId) {
      return await sql.query<OwnedArtifact>(
        `SELECT id, payload, expires_at AS "expiresAt" FROM oidc_artifact
          WHERE school_id = $1 AND model = $2 AND account_id = $3 AND grant_id IS NULL AND expires_at > now() ORDER BY created_at DESC, id LIMIT 100`,
        [schoolId, model, accountId],
        'artifact_find_of_account',
      )
    },
    async destroyOfAccount(schoolId, model, accountId) {
      await sql.query(
        'DELETE FROM oidc_artifact WHERE school_id = $1 AND model = $2 AND account_id = $3 AND grant_id IS NULL',
        [schoolId, model, accountId],
        'artifact_destroy_of_account',
      )
    },
    async revoke(revocation) {
      if (revocation.audit.some(({ school_id }) => school_id !== revocation.schoolId))
        throw new Error('a revocation cannot write into another school')
      return (await revoke(revocation)).grantId
    },
    redeem,
    forgetSuccessors: (limit) => count(forgetSuccessors, [limit], 'artifact_forget_successors'),
    async sweep(limit) {
      const expired = await count(sweepArtifacts, [limit], 'artifact_sweep')
      const leftovers = await count(sweepLeftovers, [limit], 'artifact_sweep_leftovers')
      return expired + leftovers + (await count(sweepGrants, [limit], 'artifact_sweep_grants'))
    },
  }
}

interface FoundRow extends Stored<'oidc_artifact', 'payload' | 'grant_id' | 'client_id' | 'account_id' | 'consumed_at' | 'successor'> {
  answered_seconds_ago: number | null
}

function presentRow(row: FoundRow): FoundArtifact {
  return {
    payload: row.payload,
    grantId: row.grant_id,
    clientId: row.client_id,
    accountId: row.account_id,
    consumedAt: row.consumed_at,
    successor: row.successor,
    answeredSecondsAgo: row.answered_seconds_ago,
  }
}

function valuesOf(artifact: Artifact): unknown[] {
  const { schoolId, model, id, grantId, clientId, accountId, uid, payload, expiresInSeconds } = artifact
  return [schoolId, model, id, grantId ?? null, clientId ?? null, accountId ?? null, uid ?? null, payload, expiresInSeconds]
}

const select = `
  SELECT a.payload, a.grant_id, a.client_id, a.account_id, a.consumed_at, ${successorColumns('a')}
    FROM oidc_artifact a
    LEFT JOIN oidc_grant g ON g.school_id = a.school_id AND g.id = a.grant_id
    LEFT JOIN oidc_client c ON c.school_id = a.school_id AND c.id = a.client_id
   WHERE a.school_id = $1 AND a.model = $2 AND a.expires_at > now()
     AND (a.grant_id IS NULL OR (g.expires_at > now() AND g.revoked_at IS NULL))
     AND (a.client_id IS NULL OR (c.id IS NOT NULL AND c.disabled_at IS NULL))`

const insert = `
  INSERT INTO oidc_artifact AS old (school_id, model, id, grant_id, client_id, account_id, uid, payload, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now() + make_interval(secs => $9))
  ON CONFLICT (school_id, model, id) DO UPDATE
    SET grant_id = excluded.grant_id, client_id = excluded.client_id, account_id = excluded.account_id, uid = excluded.uid,
        payload = excluded.payload, expires_at = excluded.expires_at`

// Writing an artefact again keeps it consumed, unless it had expired: then it replaces it.
const save = `${insert},
        created_at = CASE WHEN old.expires_at > now() THEN old.created_at ELSE now() END,
        consumed_at = CASE WHEN old.expires_at > now() THEN old.consumed_at END,
        successor = CASE WHEN old.expires_at > now() THEN old.successor END,
        successor_until = CASE WHEN old.expires_at > now() THEN old.successor_until END`

const saveOnce = `${insert}, created_at = now(), consumed_at = NULL, successor = NULL, successor_until = NULL
  WHERE old.expires_at <= now()
  RETURNING 1 AS written`

const consume = `
  UPDATE oidc_artifact SET consumed_at = now()
   WHERE school_id = $1 AND model = $2 AND id = $3 AND consumed_at IS NULL AND expires_at > now()
  RETURNING 1 AS consumed`

// Counting the removed makes the removal come first.
const endGrant = `
  WITH removed AS (
    DELETE FROM oidc_artifact a WHERE school_id = $1 AND grant_id = $2 AND ${isNoUsedCode('a')} RETURNING 1
  ), logged AS (${logged(3)})
  UPDATE oidc_grant SET revoked_at = coalesce(revoked_at, now())
   WHERE school_id = $1 AND id = $2 AND (SELECT count(*) FROM removed) >= 0`

// Two removals because only artefacts without a grant need a look at every row that has none; the others are found by the index of grants.
const setDisabled = ({ set, where }: { set: string; where: string }) => `
  WITH client AS (
    SELECT id FROM oidc_client WHERE school_id = $1 AND id = $2 AND ${where}
  ), granted AS (
    DELETE FROM oidc_artifact
     WHERE school_id = $1
       AND grant_id IN (SELECT g.id FROM oidc_grant g JOIN client c ON g.client_id = c.id WHERE g.school_id = $1)
    RETURNING 1
  ), loose AS (
    DELETE FROM oidc_artifact WHERE school_id = $1 AND grant_id IS NULL AND client_id IN (SELECT id FROM client) RETURNING 1
  ), ended AS (
    UPDATE oidc_grant SET revoked_at = now()
     WHERE school_id = $1 AND revoked_at IS NULL AND client_id IN (SELECT id FROM client)
    RETURNING 1
  )
  UPDATE oidc_client SET ${set}, updated_at = now()
   WHERE school_id = $1 AND id = $2 AND ${where} AND (SELECT count(*) FROM granted) + (SELECT count(*) FROM loose) + (SELECT count(*) FROM ended) >= 0`

const endClient = setDisabled({ set: 'disabled_at = coalesce(disabled_at, now())', where: 'true' })
// Values saved while the client was disabled are deleted too. An enabled client loses nothing.
const restoreClient = setDisabled({ set: 'disabled_at = NULL, disabled_by = NULL', where: 'disabled_at IS NOT NULL' })

// A code or refresh token that was used stays for as long as its reuse must be noticed. Its id, grant and client are enough for that.
const forgetSuccessors = `
  UPDATE oidc_artifact
     SET successor = NULL, successor_until = NULL,
         payload = CASE WHEN consumed_at IS NOT NULL THEN '' ELSE payload END
   WHERE ctid = ANY (ARRAY(
     SELECT ctid FROM oidc_artifact WHERE successor_until <= now() ORDER BY successor_until LIMIT $1 FOR UPDATE SKIP LOCKED))
  RETURNING 1 AS forgotten`

const sweepArtifacts = `
  DELETE FROM oidc_artifact
   WHERE ctid = ANY (ARRAY(
     SELECT ctid FROM oidc_artifact WHERE expires_at <= now() ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED))
  RETURNING 1 AS removed`

/** The tokens of a grant stay for a while after its end, so that its client learns when the access of the person ended. */
const forgotten = `now() - interval '7 days'`

const sweepLeftovers = `
  DELETE FROM oidc_artifact
   WHERE ctid = ANY (ARRAY(
     SELECT a.ctid FROM oidc_grant g JOIN oidc_artifact a ON a.school_id = g.school_id AND a.grant_id = g.id
      WHERE g.expires_at <= ${forgotten} LIMIT $1 FOR UPDATE OF a SKIP LOCKED))
  RETURNING 1 AS removed`

const sweepGrants = `
  DELETE FROM oidc_grant
   WHERE ctid = ANY (ARRAY(
     SELECT g.ctid FROM oidc_grant g
      WHERE g.expires_at <= now() - interval '${pastDays} days'
        AND NOT EXISTS (SELECT 1 FROM oidc_artifact a WHERE a.school_id = g.school_id AND a.grant_id = g.id)
      ORDER BY g.expires_at LIMIT $1 FOR UPDATE SKIP LOCKED))
  RETURNING 1 AS removed`
