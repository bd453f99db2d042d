import type { Middleware } from 'koa'
import type { App } from '../app.ts'
import { lazily } from '../lib/lazily.ts'
import type { Log } from '../lib/log.ts'
import type { Database } from '../store/database.ts'
import { schoolDatabase } from '../store/inSchool.ts'

const prefix = '/platform'

/** Creates the handler of the platform intake, if a key is configured. Its code is loaded with its first request. */
export function createPlatformHandler(
  { app, database, log }: { app: Pick<App, 'schools' | 'externalServices' | 'outbox'>; database: Database; log: Log },
  keys: readonly string[],
): Middleware[] {
  if (keys.length === 0) return []
  const intake = lazily(async () => {
    const { createPlatformIntake } = await import('../platform/platformIntake.ts')
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
