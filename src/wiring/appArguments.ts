import type { Config } from '../config/load.ts'
import type { ReadSecret } from '../config/webhookSecrets.ts'
import type { Caches } from '../lib/caches.ts'
import type { Keyring } from '../lib/keyring.ts'
import type { Log } from '../lib/log.ts'
import type { OutboundNetwork } from '../lib/outboundRequest.ts'
import type { Tracing } from '../lib/tracing.ts'
import type { MailTransport } from '../mail/transport.ts'
import type { Database } from '../store/database.ts'
import type { FileStorage } from '../store/fileStorage.ts'
import type { RedisConnection } from '../store/redis.ts'

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
