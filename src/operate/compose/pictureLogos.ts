import type { Log } from '../../base/log/log.ts'
import type { Caches } from '../../base/process/caches.ts'
import type { Database } from '../../database/connection/database.ts'
import type { FileStorage } from '../../database/files/fileStorage.ts'
import type { PictureArguments } from '../../pages/pictures/servePictures.ts'
import { logoOn } from '../../pages/schoolLogo.ts'
import { type LogoFile, readLogo } from './readLogo.ts'

/** Larger logos are left out: they take long to draw. */
const [maxBytes, maxPixels] = [524_288, 4_194_304]

/** Creates what reads the logo of a school for the previews of its pages. If it cannot be read, they are drawn without it. */
export function createPictureLogos({
  accounts,
  storage,
  caches,
  log,
}: {
  accounts: Database
  storage: FileStorage
  caches: Caches
  log: Log
}): PictureArguments['logoOn'] {
  const kept = caches.create<LogoFile<string>>('picture_logos', { sizeCalculation: ({ content }) => content.length + 1 })
  return async (school, background, theme) => {
    const { logo, plate } = logoOn(background, theme)
    const { width, height } = logo ?? {}
    if (!logo || !width || !height || width * height > maxPixels) return undefined
    const key = `${school.id} ${logo.id}`
    try {
      const file = kept.get(key) ?? (await readLogo(school, logo, { accounts, storage, maxBytes, isAccepted: isDrawable }))
      if (file) kept.set(key, file)
      return file && { ...file, width, height, plate }
    } catch (error) {
      log.warn({ err: error, school: school.slug }, 'logo not read, picture drawn without it')
      return undefined
    }
  }
}

const isDrawable = (type: string): type is string => /^image\/(?:png|jpeg|gif|webp|svg\+xml)$/.test(type)
