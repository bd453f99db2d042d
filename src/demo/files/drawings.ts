import { cyclicElement } from '../../lib/elementAt.ts'
import { type Colour, pngOf } from './pngOf.ts'

const glazes = ['#b4532a', '#2f5d62', '#3b4a7a', '#8c6d1f', '#6b3f5e', '#4f6b3a', '#a33b3b'] as const
const paper = '#f6efe3'

const glaze = (index: number): string => cyclicElement(glazes, index)

const svg = (width: number, height: number, content: string): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${content}</svg>`,
  )

/** Rings on a ground, as a potter leaves them: each number has its own. */
export function ringsDrawing(index: number, [width, height]: readonly [number, number]): Buffer {
  const centre = [(width * (3 + (index % 5))) / 10, (height * (2 + (index % 3))) / 6]
  const rings = Array.from({ length: 3 + (index % 4) }, (_, ring) => {
    const radius = Math.round((height * (ring + 1)) / (4 + (index % 3)))
    return `<circle cx="${centre[0]}" cy="${centre[1]}" r="${radius}" fill="none" stroke="${paper}" stroke-width="${4 + ((index + ring) % 5) * 3}"/>`
  })
  return svg(width, height, `<rect width="${width}" height="${height}" fill="${glaze(index)}"/>${rings.join('')}`)
}

/** The lantern of the school, in one colour. */
const lantern = (colour: string): string =>
  `<g fill="none" stroke="${colour}" stroke-width="3" stroke-linejoin="round">
<path d="M16 14a8 8 0 0 1 16 0M12 14h24l-3 6H15zM15 20h18v16H15zM11 36h26v5H11z"/></g>
<path d="M24 23c4 4 4 6 4 7a4 4 0 0 1-8 0c0-1 0-3 4-7z" fill="${colour}"/>`

/** The lantern alone, for the icon of a page. */
export const lanternDrawing = (colour: string): Buffer => svg(48, 48, lantern(colour))

/** The lantern and the name. */
export const logoDrawing = (colour: string): Buffer =>
  svg(220, 48, `${lantern(colour)}<text x="50" y="32" font-family="Georgia, serif" font-size="24" fill="${colour}">Lanternfield</text>`)

const channel = (hex: string, at: number): number => Number.parseInt(hex.slice(at, at + 2), 16)

const channels = (hex: string): Colour => [channel(hex, 1), channel(hex, 3), channel(hex, 5)]

/** A head and shoulders against a wall. */
export function portrait(index: number, size: number): Buffer {
  const [wall, person] = [channels(paper), channels(glaze(index))]
  return pngOf(size, size, (x, y) => {
    const isHead = Math.hypot(x - size / 2, y - size * 0.38) < size * 0.2
    const areShoulders = Math.hypot(x - size / 2, y - size * 1.05) < size * 0.42
    return isHead || areShoulders ? person : wall
  })
}

/** The preview picture of links: a band of every glaze. */
export const glazeBands = (width: number, height: number): Buffer =>
  pngOf(width, height, (x) => channels(glaze(Math.floor((x * glazes.length) / width))))
