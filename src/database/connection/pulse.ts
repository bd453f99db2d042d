import { setTimeout } from 'node:timers/promises'
import { type Client, DatabaseError, type QueryResult } from 'pg'
import { outage } from '../../base/process/outage.ts'
import { connectClient, type ServiceClientConfig } from './serviceClient.ts'
import { withinDeadline } from './withinDeadline.ts'

/** Knows whether the server responds, by a connection that nothing else uses. */
export interface Pulse {
  /** @throws Error immediately if the server is known not to respond */
  assertAlive(): void
  /** Looks whether the server responds. Called when something has waited for long. */
  suspect(): void
  /** @throws Error when the server does not respond or takes no writes. Asks the server once a second at most. */
  checkWrites(): Promise<void>
  close(): Promise<void>
}

export interface PulseArguments {
  config: ServiceClientConfig
  /** The server stopped responding: whatever waits for it should fail. */
  onSilence(): void
  /** The server responds again, or takes writes again: older connections should be replaced. */
  onRecovery(): void
}

const silenceMs = 2500
const checkMs = 2000
const againMs = 1000
const recoveryMs = 250

/** Watches one PostgreSQL server. Connects when first asked. */
export function createPulse({ config, onSilence, onRecovery }: PulseArguments): Pulse {
  let client: Promise<Client> | undefined
  let isSilent = false
  let isChecking = false
  let isClosed = false
  let seenAt = 0
  let latest: { at: number; check: Promise<void> } | undefined
  let didFail = false

  const drop = (): void => {
    client?.then((made) => made.end()).catch(() => undefined)
    client = undefined
  }
  const ask = async (text: string): Promise<Record<string, unknown> | undefined> => {
    client ??= connectClient(config, drop)
    try {
      // A text with several statements has several results.
      const results: QueryResult | QueryResult[] = await (await client).query(text)
      return [results].flat().find(({ rows }) => rows.length > 0)?.rows[0]
    } catch (error) {
      drop()
      throw error
    }
  }

  /** An error from the server is a response; an ended connection is not, and is retried once. */
  async function isAnswered(): Promise<boolean> {
    for (const _try of [1, 2]) {
      try {
        await ask('SELECT 1')
        return true
      } catch (error) {
        if (error instanceof DatabaseError) return true
      }
    }
    return false
  }

  async function responds(): Promise<boolean> {
    const answered = isAnswered()
    const inTime = await Promise.race([answered, setTimeout(silenceMs, undefined, { ref: false })])
    // A process that was busy itself may find the response only now.
    return inTime ?? (await Promise.race([answered, setTimeout(100, false)]))
  }

  async function recover(): Promise<void> {
    while (isSilent && !isClosed) {
      drop()
      if (await responds()) {
        isSilent = false
        onRecovery()
        return
      }
      await setTimeout(recoveryMs, undefined, { ref: false })
    }
  }

  async function check(): Promise<void> {
    const row = await withinDeadline(
      ask(config.pooler === 'transaction' ? `BEGIN; SET LOCAL work_mem = '${pulseSettings.work_mem}'; ${writeCheck}; COMMIT` : writeCheck),
      checkMs,
      'the database',
    )
    if (row?.is_read_only) throw new Error('the database is read-only')
  }

  return {
    assertAlive() {
      if (isSilent) throw outage('the database does not respond')
    },
    suspect() {
      if (isChecking || isSilent || isClosed || performance.now() - seenAt < againMs) return
      isChecking = true
      void responds()
        .then((isAlive) => {
          seenAt = performance.now()
          if (isAlive || isClosed) return
          isSilent = true
          onSilence()
          void recover()
        })
        .finally(() => (isChecking = false))
    },
    async checkWrites() {
      if (!latest || performance.now() - latest.at > againMs) {
        latest = { at: performance.now(), check: check() }
        latest.check.then(
          () => {
            // Sessions of a server that was read-only stay so.
            if (didFail) onRecovery()
            didFail = false
          },
          () => {
            didFail = true
            drop()
          },
        )
      }
      await latest.check
    },
    async close() {
      isClosed = true
      const made = client
      client = undefined
      await withinDeadline(
        Promise.resolve(made).then((opened) => opened?.end()),
        1000,
        'the database',
      ).catch(() => undefined)
    },
  }
}

/** Little memory for a sort, so that the one below is written to the disk of the database. */
export const pulseSettings = { work_mem: '64kB' }

/**
 * Proves that the server can write: a record in its log, committed, and a quarter of a megabyte in a temporary file, which a full disk
 * refuses. Leaves nothing behind.
 */
const writeCheck = `
  SELECT current_setting('transaction_read_only') = 'on' AS is_read_only,
         CASE WHEN current_setting('transaction_read_only') = 'off' THEN pg_logical_emit_message(true, 'schoolgate', '') END,
         (SELECT count(*) FROM (SELECT repeat(md5(n::text), 32) FROM generate_series(1, 256) AS n ORDER BY 1 OFFSET 0) AS sorted)`
