import { hash } from 'node:crypto'
import { createRequire } from 'node:module'
import { Problem } from '../../base/problem.ts'
import type { Caches } from '../../base/process/caches.ts'
import { createThread, ThreadFailure } from '../../base/process/thread.ts'
import { createTurns } from '../../base/process/turns.ts'
import type { FontFamily } from '../../school/settings/themes.ts'
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
  /**
   * Schools take turns: many pictures of one never delay or refuse those of others. Requests for the same picture share one drawing.
   * @throws Problem temporarily_unavailable if the thread is too busy, too slow or fails
   */
  render(drawing: Drawing, schoolId: string): Promise<Buffer>
}

/** Drawings that may wait for the one that runs. */
const maxWaiting = 20

interface Waiting {
  start(): void
  refuse(): void
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
    ...{ module, limitMilliseconds, idleMilliseconds: 30_000, queue: 1, megabytes: 128 },
  })
  const kept = caches.create<Buffer>('pictures', { sizeCalculation: (picture) => picture.length + 1 })
  // A logo that breaks the thread or takes too long must not do so for each page.
  const undrawable = caches.create<true>('undrawable_logos', { ttl: undrawableMilliseconds })
  const { resolve } = createRequire(import.meta.url)
  const turns = createTurns<Waiting>()
  let isDrawing = false
  const inTurn = async <Result>(schoolId: string, work: () => Promise<Result>): Promise<Result> => {
    if (isDrawing) {
      await new Promise<void>((start, reject) => {
        const refuse = () => reject(unavailable(new Error('too many pictures of the school are waiting')))
        turns.add([schoolId], { start, refuse })
        if (turns.size() > maxWaiting) turns.removeFromLongest([schoolId])?.refuse()
      })
    }
    isDrawing = true
    try {
      return await work()
    } finally {
      const next = turns.take()
      if (next) next.start()
      else isDrawing = false
    }
  }

  const draw = async ({ svg, family, logo }: Drawing): Promise<Uint8Array | null> => {
    try {
      const fonts = fontModules(family).map((name) => resolve(name))
      return await thread.run({ svg, fonts, ...(logo && { logo: logo.svg }) })
    } catch (error) {
      if (!(error instanceof ThreadFailure)) throw error
      if (error.kind === 'failed') onFailure(error.message)
      if (logo && error.kind !== 'busy' && error.kind !== 'closed') return null
      throw unavailable(error)
    }
  }
  const drawings = new Map<string, Promise<Buffer>>()
  const drawInTurn = async (key: string, drawing: Drawing, schoolId: string): Promise<Buffer> => {
    const { logo } = drawing
    const logoKey = logo && logoKeyOf(logo)
    const drawn = await inTurn(schoolId, async () => {
      if (logoKey !== undefined && undrawable.get(logoKey)) return null
      const picture = await draw(drawing)
      if (picture === null && logoKey !== undefined) undrawable.set(logoKey, true)
      return picture
    })
    if (drawn === null) {
      if (!logo) throw new Error('the thread returned no picture')
      return await render(logo.without, schoolId)
    }
    const picture = Buffer.from(drawn)
    kept.set(key, picture)
    return picture
  }
  const render: PngRenderer['render'] = async (drawing, schoolId) => {
    const { svg, family, logo } = drawing
    if (logo && undrawable.get(logoKeyOf(logo))) return render(logo.without, schoolId)
    const key = hash('sha256', `${family} ${svg}`, 'base64url')
    const found = kept.get(key) ?? drawings.get(key)
    if (found) return found
    const drawn = drawInTurn(key, drawing, schoolId).finally(() => drawings.delete(key))
    drawings.set(key, drawn)
    return drawn
  }
  return { render }
}

const logoKeyOf = ({ svg }: { svg: string }): string => hash('sha256', svg, 'base64url')

const unavailable = (cause: Error): Problem => new Problem('temporarily_unavailable', { headers: { 'Retry-After': '1' }, cause })
