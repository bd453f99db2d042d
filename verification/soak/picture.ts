import { crc32, deflateSync } from 'node:zlib'

const width = 256

/** Returns a picture (PNG) whose grey pixels are this text, so that its bytes differ from those of every other. The service keeps them: it removes only metadata. */
export function pictureWith(text: string): Buffer {
  const rows = Math.ceil(text.length / width)
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0])
  header.writeUInt32BE(width)
  header.writeUInt32BE(rows, 4)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const lines = Array.from({ length: rows }, (_, row) => `\0${text.slice(row * width, (row + 1) * width).padEnd(width)}`)
  const pixels = deflateSync(Buffer.from(lines.join('')), { level: 0 })
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))])
}

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(content))
  return Buffer.concat([length, content, check])
}
