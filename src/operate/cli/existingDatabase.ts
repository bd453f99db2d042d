import { resolve } from 'node:path'
import type { Environment } from '../../config/environment.ts'
import { hasEmbeddedDatabase } from '../../database/connection/openDatabase.ts'
import { failure } from './failures.ts'

/**
 * Checks that there is a database. A program without the environment of its service would create a second one, and work there.
 * @throws CommanderError that names the missing variable
 */
export function requireExistingDatabase({ DATABASE_URL: url, DATA_DIR: directory }: Environment): void {
  if (url !== undefined || hasEmbeddedDatabase(directory)) return
  throw failure(
    `there is no database: DATABASE_URL is not set, and ${resolve(directory)} contains no embedded database. Set DATABASE_URL or DATA_DIR ` +
      'as the service has it. To create an embedded database, start the service or run schoolgate migrate up',
  )
}
