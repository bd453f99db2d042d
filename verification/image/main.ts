/** `npm run test:image`: builds the image as the Dockerfile says and runs it as the manifests do. */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { availableServices, throwawayPostgres } from '../../test/support/databases.ts'
import { baseImage } from './baseImage.ts'
import { checkContents } from './checkContents.ts'
import { removeImages, requirePodman, run } from './podman.ts'
import { runLife } from './runLife.ts'

const root = resolve(import.meta.dirname, '../..')
const help = `npm run test:image [-- --image NAME] [-- --base NAME] [-- --keep]

Builds the image from the Dockerfile with Podman, looks into it, and runs it with a read-only root, without capabilities and new privileges, and with 512 MiB
of memory: first start, health check, schoolgate doctor, a sign-in with tokens, SIGTERM, and a second start that knows the sign-in. Once with the
embedded database, and once with PostgreSQL and Redis (TEST_DATABASE_URL, TEST_REDIS_URL) if they are there. Exits with 1 if something differs.

  --image NAME   tests this image and builds none
  --base NAME    the base image in place of that of the Dockerfile
  --keep         keeps the image that was built

Needs podman, and root or a rootless setup. Without access to a registry, the base image is made with debootstrap and the Node of this project.`

const { values } = parseArgs({
  options: {
    image: { type: 'string' },
    base: { type: 'string' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const say = (text: string): void => void process.stdout.write(`${text}\n`)

/** Builds the image and returns its name. */
async function build(): Promise<string> {
  const base = values.base ?? (await baseImage(root, say))
  const name = `localhost/schoolgate-test:${process.pid}`
  say(`builds ${name} from ${base}, which takes minutes`)
  const revision = (await run('git', ['-C', root, 'rev-parse', 'HEAD'])).trim()
  await run('podman', [
    ...['build', '--isolation', 'chroot', '--format', 'docker', '--tag', name],
    ...['--build-arg', `NODE=${base}`, '--build-arg', `REVISION=${revision}`, root],
  ])
  return name
}

async function main(): Promise<void> {
  await requirePodman()
  const start = performance.now()
  const image = values.image ?? (await build())
  say(`built in ${Math.round((performance.now() - start) / 1000)} s`)
  try {
    await checkContents(image, root, say)
    await runLife({ image, name: 'the embedded database', environment: {}, say })
    const { postgresql, redis } = await availableServices()
    if (postgresql && redis) {
      const database = await throwawayPostgres()
      try {
        const environment = { DATABASE_URL: database.url, REDIS_URL: process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379' }
        await runLife({ image, name: 'PostgreSQL and Redis', environment, say })
      } finally {
        await database.drop()
      }
    } else say('skipped PostgreSQL and Redis: they do not respond')
  } finally {
    if (values.image === undefined && !values.keep) await removeImages(image)
  }
  say('the image passed')
}

if (values.help) say(help)
else
  await main().catch((error: unknown) => {
    process.stderr.write(`FAILED ${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  })
