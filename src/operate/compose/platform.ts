import type { Middleware } from 'koa'
import type { Log } from '../../base/log/log.ts'
import { lazily } from '../../base/process/lazily.ts'
import type { Database } from '../../database/connection/database.ts'
import { schoolDatabase } from '../../database/school/inSchool.ts'
import type { App } from './app.ts'

const prefix = '/platform'

/** Creates the handler of the platform intake, if a key is configured. Its code is loaded with its first request. */
export function createPlatformHandler(
  { app, database, log }: { app: Pick<App, 'schools' | 'externalServices' | 'outbox'>; database: Database; log: Log },
  keys: readonly string[],
): Middleware[] {
  if (keys.length === 0) return []
  const intake = lazily(async () => {
    const { createPlatformIntake } = await import('../../school/intake/platformIntake.ts')
    const schoolOf = (slug: string | undefined) => {
      const { all } = app.schools
      const entry = slug === undefined && all.length === 1 ? all[0] : all.find(({ school }) => school.slug === slug)
      return entry?.school
    }
    return createPlatformIntake({
      keys,
      log,
      databaseOf: (schoolId) => schoolDatabase(database, schoolId, 'platform'),
      schoolOf,
      externalServices: app.externalServices,
    })
  })
  return [
    async (ctx, next) => {
      if (ctx.path !== prefix && !ctx.path.startsWith(`${prefix}/`)) return await next()
      await (await intake())(ctx, next)
      // A report may have added e-mails and webhooks.
      if (ctx.method === 'POST') app.outbox.wake()
    },
  ]
}
