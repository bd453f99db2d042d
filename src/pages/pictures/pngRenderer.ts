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
}

export interface PngRequest {
  svg: string
  /** Paths of the files of the font. */
  fonts: readonly string[]
}

/** Draws pictures in a thread, and keeps them. */
export interface PngRenderer {
  /** @throws Problem temporarily_unavailable if the thread is too busy, too slow or fails */
  render(drawing: Drawing): Promise<Buffer>
}

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
  const thread = createThread<PngRequest, Uint8Array>({
    ...{ module, limitMilliseconds, idleMilliseconds: 30_000, queue: 20, megabytes: 128 },
  })
  const kept = caches.create<Buffer>('pictures', { sizeCalculation: (picture) => picture.length + 1 })
  const { resolve } = createRequire(import.meta.url)
  return {
    async render({ svg, family }) {
      const key = hash('sha256', `${family} ${svg}`, 'base64url')
      const found = kept.get(key)
      if (found) return found
      try {
        const picture = Buffer.from(await thread.run({ svg, fonts: fontModules(family).map((name) => resolve(name)) }))
        kept.set(key, picture)
        return picture
      } catch (error) {
        if (!(error instanceof ThreadFailure)) throw error
        if (error.kind === 'failed') onFailure(error.message)
        throw new Problem('temporarily_unavailable', { headers: { 'Retry-After': '1' }, cause: error })
      }
    },
  }
}
