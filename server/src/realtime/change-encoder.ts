import type { Change } from '@mainstay/contract/core/events'
import { Encoder, PacketType, type Packet } from 'socket.io-parser'

const texts = new WeakMap<Change, string>()
const frames = new WeakMap<readonly Change[], string>()

function textOf(change: Change): string {
  const known = texts.get(change)
  if (known !== undefined) return known
  const text = JSON.stringify(change)
  texts.set(change, text)
  return text
}

function frameOf(changes: readonly Change[]): string {
  const known = frames.get(changes)
  if (known !== undefined) return known
  const frame = `${PacketType.EVENT}["changes",[${changes.map(textOf).join(',')}]]`
  frames.set(changes, frame)
  return frame
}

/**
 * Serializes each change only once, however many sockets and batches it is sent to. Other packets are encoded as usual.
 */
export class ChangeEncoder extends Encoder {
  override encode(packet: Packet): string[] {
    const [event, changes] = Array.isArray(packet.data) ? (packet.data as unknown[]) : []
    const isPlain = packet.type === PacketType.EVENT && packet.nsp === '/' && packet.id === undefined
    if (isPlain && event === 'changes') return [frameOf(changes as Change[])]
    return super.encode(packet) as string[]
  }
}
