/** Runs in a thread: draws pictures. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { parentPort } from 'node:worker_threads'
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import type { PngRequest } from './pngRenderer.ts'

const ready = initWasm(readFileSync(createRequire(import.meta.url).resolve('@resvg/resvg-wasm/index_bg.wasm')))

parentPort?.on('message', async ({ svg, fonts }: PngRequest) => {
  await ready
  const drawing = new Resvg(svg, { font: { fontBuffers: fonts.map((path) => readFileSync(path)), loadSystemFonts: false } })
  const picture = drawing.render()
  parentPort?.postMessage(picture.asPng())
  picture.free()
  drawing.free()
})
