/**
 * Returns a text in UTF-8, in a separate block of memory. `Buffer.from` puts short texts into a block of 64 kB that they share with others:
 * one that is kept keeps the whole block.
 */
export function utf8(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}
