/** Runs in a thread: draws pictures. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { parentPort } from 'node:worker_threads'
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import type { PngRequest } from './pngRenderer.ts'

const ready = initWasm(readFileSync(createRequire(import.meta.url).resolve('@resvg/resvg-wasm/index_bg.wasm')))

parentPort?.on('message', async ({ svg, logo, fonts }: PngRequest) => {
  await ready
  if (logo !== undefined && !isDrawn(logo)) return parentPort?.postMessage(null)
  const drawing = new Resvg(svg, { font: { fontBuffers: fonts.map((path) => readFileSync(path)), loadSystemFonts: false } })
  const picture = drawing.render()
  parentPort?.postMessage(picture.asPng())
  picture.free()
  drawing.free()
})

/** True if the drawing is not empty: a picture that cannot be decoded is left out of it. */
function isDrawn(svg: string): boolean {
  const drawing = new Resvg(svg, { font: { loadSystemFonts: false } })
  const picture = drawing.render()
  const isVisible = picture.pixels.some((value) => value !== 0)
  picture.free()
  drawing.free()
  return isVisible
}
