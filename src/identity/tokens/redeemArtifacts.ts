import { newEntryId } from '../../base/ids.ts'
import type { Sql } from '../../database/connection/sql.ts'
import type { AuditEntry } from '../../database/tables/audit.ts'
import type { Artifact, ArtifactKey } from './artifacts.ts'

/** The writes of a code exchange or a refresh. Everything belongs to one school. */
export interface Redemption {
  schoolId: string
  /**
   * The refresh token or code to consume. `successor` is the sealed response for repetitions within `successorSeconds`, or without these the
   * id of the artefact in Redis that has it. Its use is known for `knownSeconds` at least, also if it expires before. A code that is in Redis
   * has no row before its use: then `owner` has the columns of the new one.
   */
  consume?: ArtifactKey & {
    successor?: string
    successorSeconds?: number
    knownSeconds?: number
    owner?: { grantId: string; clientId: string }
  }
  /** New artefacts: their ids must be unused. */
  save: Artifact[]
  /** The grant was used. Use does not change its end. */
  touchGrant?: { grantId: string }
  audit: AuditEntry[]
}

/**
 * The one write of the token endpoint, all or nothing in one statement. False, and nothing written, where another caller consumed first
 * or the artefact has expired or gone: losers wait for the winner's commit, so they read its successor right after.
 */
export async function redeemArtifacts(sql: Sql, redemption: Redemption): Promise<boolean> {
  requireOneSchool(redemption)
  const { schoolId, consume, save, touchGrant, audit } = redemption
  const { name, text } = audit.length === 0 ? unlogged : withAudit
  const [row] = await sql.query<{ won: boolean }>(
    text,
    [
      schoolId,
      consume?.model ?? null,
      consume?.id ?? null,
      consume?.successor ?? null,
      consume?.successorSeconds ?? null,
      jsonText(save.map(recordOf)),
      touchGrant?.grantId ?? null,
      consume?.knownSeconds ?? null,
      consume?.owner?.grantId ?? null,
      consume?.owner?.clientId ?? null,
      ...(audit.length === 0 ? [] : [jsonText(auditRows(audit))]),
    ],
    name,
  )
  return row?.won === true
}

export function requireOneSchool({ schoolId, consume, save, audit }: Redemption): void {
  const schools = [...save.map((artifact) => artifact.schoolId), ...audit.map((entry) => entry.school_id), consume?.schoolId ?? schoolId]
  if (schools.some((other) => other !== schoolId)) throw new Error('A redemption cannot write into another school')
}

/** Returns the part of a statement that writes audit entries. Its parameter $1 is the school; the one with this number has the entries. */
export const logged = (parameter: number): string => `
    INSERT INTO audit_log (school_id, id, event, account_id, client_id, grant_id, request_id, address, details)
    SELECT $1::uuid, id, event, account_id, client_id, grant_id, request_id, address, details
      FROM jsonb_to_recordset($${parameter}::jsonb)
        AS l (id uuid, event text, account_id text, client_id text, grant_id text, request_id text, address text, details jsonb)`

/** Columns of a used code or refresh token that lead to its response: see `FoundArtifact`. */
export const successorColumns = (alias: string): string => `
         CASE WHEN ${alias}.successor_until IS NULL OR ${alias}.successor_until > now() THEN ${alias}.successor END AS successor,
         CASE WHEN ${alias}.successor IS NOT NULL AND ${alias}.successor_until IS NULL
              THEN extract(epoch FROM now() - ${alias}.consumed_at)::float8 END AS answered_seconds_ago`

/** The row of a used code stays: without it, a concurrent exchange of the same code would count as the first. */
export const isNoUsedCode = (alias: string): string => `(${alias}.model <> 'AuthorizationCode' OR ${alias}.consumed_at IS NULL)`

// With Redis the update changes no column of an index, so that PostgreSQL writes the row next to its earlier version and no index (HOT).
// Under READ COMMITTED the second UPDATE of one row waits, then judges its newest version: exactly one sees consumed_at null. The other
// parts hang on its outcome through `go`. The grant is written once a minute at most, since every write of it is a dead row to clean.
const parts = `
  WITH consumed AS (
    UPDATE oidc_artifact
       SET consumed_at = now(), successor = $4::text,
           payload = CASE WHEN $5::float8 IS NULL THEN '' ELSE payload END,
           successor_until = now() + make_interval(secs => $5::float8),
           expires_at = greatest(expires_at, now() + make_interval(secs => $8::float8))
     WHERE school_id = $1::uuid AND model = $2::text AND id = $3::text AND consumed_at IS NULL AND expires_at > now()
    RETURNING 1
  ), used AS (
    INSERT INTO oidc_artifact (school_id, model, id, grant_id, client_id, payload, consumed_at, successor, successor_until, expires_at)
    SELECT $1::uuid, $2::text, $3::text, $9::text, $10::text, '', now(), $4::text, now() + make_interval(secs => $5::float8),
           now() + make_interval(secs => $8::float8)
     WHERE $9::text IS NOT NULL
    ON CONFLICT (school_id, model, id) DO NOTHING
    RETURNING 1
  ), go AS (
    SELECT 1 FROM consumed UNION ALL SELECT 1 FROM used UNION ALL SELECT 1 WHERE $2::text IS NULL
  ), saved AS (
    INSERT INTO oidc_artifact (school_id, model, id, grant_id, client_id, account_id, uid, payload, expires_at)
    SELECT $1::uuid, model, id, grant_id, client_id, account_id, uid, payload, now() + make_interval(secs => seconds)
      FROM jsonb_to_recordset($6::jsonb)
        AS s (model text, id text, grant_id text, client_id text, account_id uuid, uid text, payload text, seconds float8)
     WHERE EXISTS (SELECT 1 FROM go)
  ), touched AS (
    UPDATE oidc_grant
       SET last_used_at = now()
     WHERE school_id = $1::uuid AND id = $7::text AND revoked_at IS NULL AND expires_at > now()
       AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')
       AND EXISTS (SELECT 1 FROM go)
  )`

const result = 'SELECT EXISTS (SELECT 1 FROM go) AS won'
/** Without audit entries, which a refresh does not have: an insert of no rows would still run the triggers of the audit log. */
const unlogged = { name: 'artifact_redeem', text: `${parts} ${result}` }
const withAudit = {
  name: 'artifact_redeem_logged',
  text: `${parts}, logged AS (
    ${logged(11)}
     WHERE EXISTS (SELECT 1 FROM go)
  )
  ${result}`,
}

export const auditRows = (entries: readonly AuditEntry[]): object[] =>
  entries.map((entry) => ({ ...entry, id: newEntryId(), details: entry.details ?? {} }))

export function recordOf({ model, id, grantId, clientId, accountId, uid, payload, expiresInSeconds }: Artifact): object {
  return { model, id, grant_id: grantId, client_id: clientId, account_id: accountId, uid, payload, seconds: expiresInSeconds }
}

/** JSON that jsonb takes: it refuses NUL and halves of surrogate pairs, which a caller's text in an audit row may hold. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'string' ? member.replaceAll('\0', '\ufffd').toWellFormed() : member,
  )
}
