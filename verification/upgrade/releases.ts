import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'

export const root = resolve(import.meta.dirname, '../..')

const release = z.strictObject({ version: z.string(), commit: z.string().optional() })

/** A release that has been tagged. */
export interface Release {
  version: string
  commit: string
}

/** Every release, oldest first. The one without a commit is the state of the work tree. */
export const releases = z.array(release).parse(JSON.parse(readFileSync(join(root, 'test/upgrade/releases.json'), 'utf8')))

/** The releases from which people upgrade to the work tree. */
export const earlierReleases = releases.filter((one): one is Release => one.commit !== undefined)
