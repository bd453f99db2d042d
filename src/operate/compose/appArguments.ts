import type { Keyring } from '../../base/keyring.ts'
import type { Log } from '../../base/log/log.ts'
import type { Tracing } from '../../base/log/tracing.ts'
import type { MailTransport } from '../../base/mail/transport.ts'
import type { OutboundNetwork } from '../../base/net/outboundRequest.ts'
import type { Caches } from '../../base/process/caches.ts'
import type { Config } from '../../config/load.ts'
import type { ReadSecret } from '../../config/webhookSecrets.ts'
import type { Database } from '../../database/connection/database.ts'
import type { FileStorage } from '../../database/files/fileStorage.ts'
import type { RedisConnection } from '../../database/redis/redis.ts'

export interface AppArguments {
  config: Config
  database: Database
  /** Holds sessions, codes, access tokens and rate limits. Without it, the database holds them. */
  redis?: RedisConnection | undefined
  caches: Caches
  keyring: Keyring
  log: Log
  /** Records traces. Without it, nothing is recorded. */
  tracing?: Tracing | undefined
  readSecret: ReadSecret
  /** Stores the bytes of files. */
  storage: FileStorage
  /** Sends e-mails to people, from this address. */
  mail: { transport: MailTransport; from?: string | undefined }
  /** Off only if every issuer is loopback. */
  isLimited: boolean
  /** Replaces parts of the network that requests to hosts of others use: for tests. */
  network?: Partial<OutboundNetwork>
}
