import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The limit of the packages of the image, in megabytes on disk. */
export const maxMegabytes = 110

/** Returns the bytes on disk of the files below a folder. `isCounted` gets the path and whether it is a folder. */
export const diskBytes = (folder: string, isCounted: (path: string, isFolder: boolean) => boolean = () => true): number =>
  readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name)
    if (!isCounted(path, entry.isDirectory())) return sum
    return sum + (entry.isDirectory() ? diskBytes(path, isCounted) : lstatSync(path).blocks * 512)
  }, 0)

interface Lock {
  packages: Record<string, { dev?: boolean; optional?: boolean; devOptional?: boolean }>
}

/** Returns the paths of the packages that `npm ci --omit=dev --omit=optional` installs, such as `node_modules/koa`. */
export const productionPackages = (lockFile: string): string[] =>
  Object.entries((JSON.parse(lockFile) as Lock).packages)
    .filter(([path, { dev, optional, devOptional }]) => path !== '' && !(dev || optional || devOptional))
    .map(([path]) => path)
