import type { Log } from '../../base/log/log.ts'
import { unknownIntrospectionClients } from '../../config/introspectionClients.ts'
import type { Config } from '../../config/load.ts'
import type { Reader } from '../../database/connection/database.ts'

/** Warns of introspection clients that are neither in a school's file nor added by a command: they cannot introspect anything. */
export async function warnOfUnknownClients({ config, database, log }: { config: Config; database: Reader; log: Log }): Promise<void> {
  if (unknownIntrospectionClients(config).length === 0) return
  try {
    const added = await database.selectFrom('oidc_client').select('id').distinct().where('registered_via', '=', 'operator').execute()
    for (const { file, key, expected } of unknownIntrospectionClients(config, new Set(added.map(({ id }) => id))))
      log.warn({ file, key, reason: expected }, 'unknown introspection client')
  } catch (error) {
    log.warn({ err: error }, 'introspection client check failed')
  }
}
