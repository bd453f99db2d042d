import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pictureSize } from '../../../src/school/files/fileContents.ts'
import { cleanedTypes, cleanPicture } from '../../../src/school/files/pictures/cleanPicture.ts'
import { metadataKinds } from '../../../src/school/files/pictures/pictureParts.ts'
import { commentedGif, exif, phoneAvif, phoneJpeg, phonePng, phoneWebp } from '../../support/pictures.ts'

const samples = [
  { type: 'image/jpeg', picture: phoneJpeg },
  { type: 'image/png', picture: phonePng },
  { type: 'image/webp', picture: phoneWebp },
  { type: 'image/gif', picture: commentedGif },
  { type: 'image/avif', picture: phoneAvif },
]

describe.each(samples)('$type', ({ type, picture }) => {
  test('nothing of the metadata is left, the answer names it, and a second pass finds nothing', () => {
    const { bytes, removed } = cleanPicture(picture(6), type)
    expect(bytes.includes('SECRET')).toBe(false)
    expect(bytes.includes('GPSLatitude')).toBe(false)
    expect(removed).toEqual(expect.arrayContaining(['xmp', 'gps']))
    const again = cleanPicture(bytes, type)
    expect(again.bytes.equals(bytes)).toBe(true)
    expect(again.removed.filter((kind) => kind !== 'exif' && kind !== 'xmp')).toEqual([])
  })

  test('wild bytes take linear time and memory, never fail, and become no longer than the orientation that is added', () => {
    const wild = fc.oneof(
      fc.uint8Array({ maxLength: 400 }).map((tail) => Buffer.concat([picture(6).subarray(0, 12), tail])),
      fc.tuple(fc.nat(300), fc.uint8Array({ maxLength: 8 })).map(([at, wrong]) => {
        const bytes = Buffer.from(picture(6))
        bytes.set(wrong.subarray(0, Math.max(0, bytes.length - at)), Math.min(at, bytes.length))
        return bytes
      }),
      fc.nat(300).map((length) => picture(6).subarray(0, length)),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    )
    fc.assert(
      fc.property(wild, (source) => {
        const before = Buffer.from(source)
        const { bytes, removed } = cleanPicture(source, type)
        expect(source.equals(before)).toBe(true)
        expect(bytes.length).toBeLessThanOrEqual(source.length + 64)
        for (const kind of removed) expect(metadataKinds).toContain(kind)
        expect(() => pictureSize(source, type)).not.toThrow()
      }),
      { numRuns: 500 },
    )
  })
})

test.each(['image/jpeg', 'image/png', 'image/webp'])(
  '%s keeps its pixels, its colours and its orientation, and its size follows it',
  (type) => {
    const { picture } = samples.find((one) => one.type === type) ?? { picture: phonePng }
    for (const orientation of [1, 3, 6, 8]) {
      const { bytes, removed } = cleanPicture(picture(orientation), type)
      expect(removed).toEqual(expect.arrayContaining(['author', 'camera', 'gps']))
      expect(bytes.includes('colours')).toBe(true)
      const isTurned = orientation > 4
      const size = isTurned ? { width: 2, height: 3 } : { width: 3, height: 2 }
      expect([orientation, pictureSize(bytes, type)]).toEqual([orientation, size])
      expect([orientation, pictureSize(picture(orientation), type)]).toEqual([orientation, size])
      expect(cleanPicture(bytes, type).orientation).toBe(orientation === 1 ? undefined : orientation)
    }
  },
)

test('a file with more parts than any picture has is cut, so that the work is bounded', () => {
  const many = Buffer.concat([phoneJpeg(1).subarray(0, 2), Buffer.alloc(1_200_000, Buffer.from([0xff, 0xdb, 0, 2]))])
  expect(cleanPicture(many, 'image/jpeg').bytes.length).toBeLessThan(500_000)
  const loop = Buffer.concat([phonePng(1).subarray(0, 33), exif([[0x8769, 4, 8]])])
  expect(cleanPicture(loop, 'image/png').removed).toEqual(['other'])
})

test('other types stay as they are', () => {
  const drawing = Buffer.from('<svg/>')
  expect(cleanedTypes).not.toContain('image/svg+xml')
  expect(cleanPicture(drawing, 'image/svg+xml')).toEqual({ bytes: drawing, removed: [], orientation: undefined })
})
