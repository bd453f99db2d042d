import { hash } from 'node:crypto'
import { createRequire } from 'node:module'
import type { FontFamily } from '../../domain/school/fontFamilies.ts'
import type { Caches } from '../../lib/caches.ts'
import { Problem } from '../../lib/problem.ts'
import { createThread, ThreadFailure } from '../../lib/thread.ts'
import { fontModules } from '../fonts.ts'

/** A drawing, and the family of its texts. */
export interface Drawing {
  /** SVG, in which every text of a school is escaped. */
  svg: string
  family: FontFamily
  /** A part that others have made, and the drawing without it. */
  logo?: { svg: string; without: Drawing }
}

export interface PngRequest {
  svg: string
  /** The logo alone. The response is null if it cannot be drawn. */
  logo?: string
  /** Paths of the files of the font. */
  fonts: readonly string[]
}

/** Draws pictures in a thread, and keeps them. */
export interface PngRenderer {
  /** @throws Problem temporarily_unavailable if the thread is too busy, too slow or fails */
  render(drawing: Drawing): Promise<Buffer>
}

const undrawableMilliseconds = 600_000

interface PngRendererOptions {
  caches: Caches
  /** Called if the thread fails, with a reason that contains nothing of the drawing. */
  onFailure(reason: string): void
  /** Time limit of one picture, including the start of the thread. */
  limitMilliseconds?: number
}

/** Creates a renderer without a thread: the first picture starts it. */
export function createPngRenderer({ caches, onFailure, limitMilliseconds = 10_000 }: PngRendererOptions): PngRenderer {
  const module = new URL('./pngWorker.ts', import.meta.url)
  const thread = createThread<PngRequest, Uint8Array | null>({
    ...{ module, limitMilliseconds, idleMilliseconds: 30_000, queue: 20, megabytes: 128 },
  })
  const kept = caches.create<Buffer>('pictures', { sizeCalculation: (picture) => picture.length + 1 })
  // A logo that breaks the thread or takes too long must not do so for each page.
  const undrawable = caches.create<true>('undrawable_logos', { ttl: undrawableMilliseconds })
  const { resolve } = createRequire(import.meta.url)
  const draw = async ({ svg, family, logo }: Drawing): Promise<Uint8Array | null> => {
    try {
      const fonts = fontModules(family).map((name) => resolve(name))
      return await thread.run({ svg, fonts, ...(logo && { logo: logo.svg }) })
    } catch (error) {
      if (!(error instanceof ThreadFailure)) throw error
      if (error.kind === 'failed') onFailure(error.message)
      if (logo && error.kind !== 'busy' && error.kind !== 'closed') return null
      throw new Problem('temporarily_unavailable', { headers: { 'Retry-After': '1' }, cause: error })
    }
  }
  const render: PngRenderer['render'] = async (drawing) => {
    const { svg, family, logo } = drawing
    const logoKey = logo && hash('sha256', logo.svg, 'base64url')
    if (logo && logoKey !== undefined && undrawable.get(logoKey)) return render(logo.without)
    const key = hash('sha256', `${family} ${svg}`, 'base64url')
    const found = kept.get(key)
    if (found) return found
    const drawn = await draw(drawing)
    if (drawn === null) {
      if (!logo || logoKey === undefined) throw new Error('the thread returned no picture')
      undrawable.set(logoKey, true)
      return render(logo.without)
    }
    const picture = Buffer.from(drawn)
    kept.set(key, picture)
    return picture
  }
  return { render }
}
