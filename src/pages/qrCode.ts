import { encode } from 'uqr'

/** A QR code as the path of an SVG whose sides have `size` units. */
export interface QrCode {
  size: number
  path: string
}

/** Returns the QR code of a text, with the white border that scanners need. */
export function qrCode(text: string): QrCode {
  const { size, data } = encode(text, { border: 4 })
  return { size, path: data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('') }
}
