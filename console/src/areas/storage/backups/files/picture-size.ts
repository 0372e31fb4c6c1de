/** Types of images that browsers can show and that cannot contain scripts. */
export type PictureType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'

const textAt = (bytes: Uint8Array, from: number, to: number) => String.fromCharCode(...bytes.subarray(from, to))

/** The type of an image, by its first bytes, because a file name may lie. Undefined for all other files. */
export function pictureType(bytes: Uint8Array): PictureType | undefined {
  if (textAt(bytes, 0, 8) === '\x89PNG\r\n\x1a\n') return 'image/png'
  if (textAt(bytes, 0, 3) === '\xff\xd8\xff') return 'image/jpeg'
  if (/^GIF8[79]a$/.test(textAt(bytes, 0, 6))) return 'image/gif'
  return textAt(bytes, 0, 4) === 'RIFF' && textAt(bytes, 8, 12) === 'WEBP' ? 'image/webp' : undefined
}

type Size = [width: number, height: number]

const sizes: Readonly<Record<PictureType, (view: DataView) => Size | undefined>> = {
  'image/png': (view) => [view.getUint32(16), view.getUint32(20)],
  'image/gif': (view) => [view.getUint16(6, true), view.getUint16(8, true)],
  'image/jpeg': jpegSize,
  'image/webp': webpSize,
}

/**
 * The number of pixels in the header of an image, which a browser would have to decode: a few bytes can stand for
 * gigabytes. Undefined if the header cannot be read.
 */
export function pixelsOf(type: PictureType, { buffer, byteOffset, byteLength }: Uint8Array): number | undefined {
  try {
    const [width, height] = sizes[type](new DataView(buffer, byteOffset, byteLength)) ?? [0, 0]
    return width * height || undefined
  } catch (error) {
    // the header is shorter than it says
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Markers in the range of those that begin a frame, which do not. */
const notFrames = new Set([0xc4, 0xc8, 0xcc])

/** Skips the segments before the first frame. */
function jpegSize(view: DataView): Size | undefined {
  for (let at = 2; ; at += 2 + view.getUint16(at + 2)) {
    while (view.getUint8(at) === 0xff && view.getUint8(at + 1) === 0xff) at += 1
    if (view.getUint8(at) !== 0xff) return undefined
    const marker = view.getUint8(at + 1)
    if (marker >= 0xc0 && marker <= 0xcf && !notFrames.has(marker))
      return [view.getUint16(at + 7), view.getUint16(at + 5)]
  }
}

function webpSize(view: DataView): Size | undefined {
  switch (String.fromCharCode(view.getUint8(15))) {
    case 'X':
      return [1 + (view.getUint32(24, true) & 0xffffff), 1 + (view.getUint32(26, true) >>> 8)]
    case 'L': {
      const bits = view.getUint32(21, true)
      return [1 + (bits & 0x3fff), 1 + ((bits >>> 14) & 0x3fff)]
    }
    case ' ':
      return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff]
    default:
      return undefined
  }
}
