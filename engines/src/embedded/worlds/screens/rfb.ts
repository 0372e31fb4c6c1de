import type { Socket } from 'node:net'
import type { Area, Screen } from './screen'

/*
 * As much of a VNC server as a console needs: RFB 3.8 without a password, raw rectangles.
 * https://datatracker.ietf.org/doc/html/rfc6143
 */

interface PixelFormat {
  bytes: 1 | 2 | 4
  bigEndian: boolean
  max: [number, number, number]
  shift: [number, number, number]
}
const ownFormat: PixelFormat = { bytes: 4, bigEndian: false, max: [255, 255, 255], shift: [16, 8, 0] }

/** Lengths of client messages; those with a count at an offset grow by `each` for each. */
const messages: Record<number, { length: number; countAt?: number; wide?: boolean; each?: number }> = {
  0: { length: 20 },
  2: { length: 4, countAt: 2, each: 4 },
  3: { length: 10 },
  4: { length: 8 },
  5: { length: 6 },
  6: { length: 8, countAt: 4, wide: true, each: 1 },
}

export interface RfbHooks {
  /** The screen changed here for another viewer's key as well. */
  onKey(keysym: number): void
}

/** Serves one viewer until it goes. `changed` tells it of a change that it did not cause. */
export function serveRfb(socket: Socket, screen: Screen, { onKey }: RfbHooks): { changed(area: Area): void } {
  let pending: Buffer = Buffer.alloc(0)
  let stage: 'version' | 'security' | 'init' | 'running' = 'version'
  let format = ownFormat
  let isAsked = false
  let dirty: Area | null = null

  const flush = () => {
    if (!isAsked || !dirty) return
    socket.write(rectangle(screen, dirty, format))
    isAsked = false
    dirty = null
  }
  const changed = (area: Area) => {
    dirty = dirty ? around(dirty, area) : area
    flush()
  }

  /** Takes one message off `pending`; false when it is not complete yet. */
  const step = (): boolean => {
    if (stage === 'version') {
      if (pending.length < 12) return false
      if (!pending.subarray(0, 12).toString('latin1').startsWith('RFB 003.')) throw new Error('no RFB client')
      pending = pending.subarray(12)
      stage = 'security'
      socket.write(Buffer.from([1, 1]))
      return true
    }
    if (pending.length === 0) return false
    if (stage === 'security' || stage === 'init') {
      pending = pending.subarray(1)
      socket.write(stage === 'security' ? Buffer.alloc(4) : serverInit(screen))
      stage = stage === 'security' ? 'init' : 'running'
      return true
    }
    const kind = messages[pending[0]!]
    if (!kind) throw new Error(`unknown message ${pending[0]}`)
    if (pending.length < kind.length) return false
    const count =
      kind.countAt === undefined
        ? 0
        : kind.wide
          ? pending.readUInt32BE(kind.countAt)
          : pending.readUInt16BE(kind.countAt)
    const length = kind.length + count * (kind.each ?? 0)
    if (length > 1_000_000) throw new Error('a message is too long')
    if (pending.length < length) return false
    const message = pending.subarray(0, length)
    pending = pending.subarray(length)
    if (message[0] === 0) format = readFormat(message)
    if (message[0] === 4 && message[1] === 1) onKey(message.readUInt32BE(4))
    if (message[0] === 3) {
      isAsked = true
      if (message[1] === 0) dirty = { x: 0, y: 0, width: screen.width, height: screen.height }
      flush()
    }
    return true
  }

  socket.on('data', (data: Buffer) => {
    pending = pending.length === 0 ? data : Buffer.concat([pending, data])
    try {
      while (step());
    } catch {
      socket.destroy()
    }
  })
  socket.write('RFB 003.008\n')
  return { changed }
}

function serverInit(screen: Screen): Buffer {
  const name = Buffer.from('simulated')
  const head = Buffer.alloc(24)
  head.writeUInt16BE(screen.width, 0)
  head.writeUInt16BE(screen.height, 2)
  Buffer.from([32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0]).copy(head, 4)
  head.writeUInt32BE(name.length, 20)
  return Buffer.concat([head, name])
}

function readFormat(message: Buffer): PixelFormat {
  const bits = message[4]!
  return {
    bytes: bits <= 8 ? 1 : bits <= 16 ? 2 : 4,
    bigEndian: message[6] !== 0,
    max: [message.readUInt16BE(8), message.readUInt16BE(10), message.readUInt16BE(12)],
    shift: [message[14]! & 31, message[15]! & 31, message[16]! & 31],
  }
}

function rectangle(
  screen: Screen,
  { x, y, width, height }: Area,
  { bytes, bigEndian, max, shift }: PixelFormat,
): Buffer {
  const head = Buffer.alloc(16)
  head.writeUInt16BE(1, 2)
  head.writeUInt16BE(x, 4)
  head.writeUInt16BE(y, 6)
  head.writeUInt16BE(width, 8)
  head.writeUInt16BE(height, 10)
  const body = Buffer.alloc(width * height * bytes)
  let at = 0
  for (let line = y; line < y + height; line++) {
    for (let column = x; column < x + width; column++) {
      const pixel = screen.pixels[line * screen.width + column]!
      const part = (place: 0 | 1 | 2) =>
        Math.round((((pixel >> (16 - place * 8)) & 255) / 255) * max[place]) << shift[place]
      const value = (part(0) | part(1) | part(2)) >>> 0
      if (bytes === 1) body[at] = value & 255
      else if (bigEndian) body.writeUIntBE(bytes === 2 ? value & 0xff_ff : value, at, bytes)
      else body.writeUIntLE(bytes === 2 ? value & 0xff_ff : value, at, bytes)
      at += bytes
    }
  }
  return Buffer.concat([head, body])
}

function around(one: Area, other: Area): Area {
  const x = Math.min(one.x, other.x)
  const y = Math.min(one.y, other.y)
  return {
    x,
    y,
    width: Math.max(one.x + one.width, other.x + other.width) - x,
    height: Math.max(one.y + one.height, other.y + other.height) - y,
  }
}
