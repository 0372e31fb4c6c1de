import { connect, type Socket } from 'node:net'

/*
 * Client for strongSwan's control interface (VICI): length-prefixed packets, each a request, a response or an event.
 * Messages consist of strings, lists and sections.
 */

export type ViciValue = string | readonly string[] | ViciSection
export interface ViciSection {
  [name: string]: ViciValue
}

const [REQUEST, RESPONSE, , REGISTER, , CONFIRM, , EVENT] = [0, 1, 2, 3, 4, 5, 6, 7]
const [SECTION, SECTION_END, VALUE, LIST, ITEM, LIST_END] = [1, 2, 3, 4, 5, 6]
const withinMs = 10_000
const mostBytes = 16 * 1024 * 1024

export function encodeVici(section: ViciSection): Buffer {
  const parts: Buffer[] = []
  const name = (text: string) => {
    const bytes = Buffer.from(text)
    return Buffer.concat([Buffer.of(bytes.length), bytes])
  }
  const value = (text: string) => {
    const bytes = Buffer.from(text)
    const length = Buffer.alloc(2)
    length.writeUInt16BE(bytes.length)
    return Buffer.concat([length, bytes])
  }
  const write = (inner: ViciSection): void => {
    for (const [key, item] of Object.entries(inner)) {
      if (typeof item === 'string') parts.push(Buffer.of(VALUE), name(key), value(item))
      else if (isList(item))
        parts.push(
          ...[Buffer.of(LIST), name(key), ...item.flatMap((one) => [Buffer.of(ITEM), value(one)])],
          Buffer.of(LIST_END),
        )
      else {
        parts.push(Buffer.of(SECTION), name(key))
        write(item)
        parts.push(Buffer.of(SECTION_END))
      }
    }
  }
  write(section)
  return Buffer.concat(parts)
}
const isList = (item: ViciValue): item is readonly string[] => Array.isArray(item)

/** Throws a `RangeError` if the message is truncated or malformed. */
export function decodeVici(bytes: Buffer): ViciSection {
  let at = 0
  const text = (lengthBytes: 1 | 2) => {
    const length = bytes.readUIntBE(at, lengthBytes)
    at += lengthBytes + length
    return bytes.toString('utf8', at - length, at)
  }
  const read = (): ViciSection => {
    const section: ViciSection = {}
    while (at < bytes.length) {
      const type = bytes[at++]
      if (type === SECTION_END) return section
      const name = text(1)
      if (type === VALUE) section[name] = text(2)
      else if (type === SECTION) section[name] = read()
      else if (type === LIST) {
        const items: string[] = []
        while (bytes[at++] === ITEM) items.push(text(2))
        section[name] = items
      } else throw new RangeError('not a message of strongSwan')
    }
    return section
  }
  return read()
}

export interface Vici {
  readonly isOpen: boolean
  /** Throws the error that strongSwan reports. */
  ask(command: string, message?: ViciSection): Promise<ViciSection>
  /** Runs a command that streams its results as events with this name. */
  list(command: string, event: string): Promise<ViciSection[]>
  close(): void
}

/** Connects to strongSwan. `onEvent` is called for these events until the connection is closed. */
export async function openVici(
  path: string,
  events: readonly string[],
  onEvent: (name: string, message: ViciSection) => void,
): Promise<Vici> {
  const socket = await connected(path)
  let isOpen = true
  let received = Buffer.alloc(0)
  let waiting: ((packet: Packet | Error) => void)[] = []
  let listed: { event: string; messages: ViciSection[] } | null = null
  let turn: Promise<unknown> = Promise.resolve()

  function end(error: Error): void {
    isOpen = false
    for (const answer of waiting) answer(error)
    waiting = []
    socket.destroy()
  }
  function hear(packet: Packet): void {
    if (packet.type !== EVENT) return waiting.shift()?.(packet)
    if (listed?.event === packet.name) listed.messages.push(packet.message)
    else onEvent(packet.name, packet.message)
  }
  socket.on('data', (data: Buffer) => {
    received = Buffer.concat([received, data])
    try {
      while (received.length >= 4 && received.length >= 4 + received.readUInt32BE(0)) {
        const length = received.readUInt32BE(0)
        hear(packetIn(received.subarray(4, 4 + length)))
        received = received.subarray(4 + length)
      }
      if (received.length > mostBytes) throw new RangeError('a response of strongSwan is too large')
    } catch (error) {
      end(error as Error)
    }
  })
  socket.once('close', () => end(new Error('strongSwan stopped')))
  socket.on('error', () => undefined)

  /** Sends one request at a time, because responses arrive in the order of the requests. */
  function exchange(type: number, name: string, message: ViciSection = {}): Promise<Packet> {
    const asked = turn.then(
      () =>
        new Promise<Packet>((resolve, reject) => {
          if (!isOpen) return reject(new Error('strongSwan stopped'))
          const timer = setTimeout(() => end(new Error('strongSwan does not respond')), withinMs)
          waiting.push((packet) => {
            clearTimeout(timer)
            if (packet instanceof Error) reject(packet)
            else resolve(packet)
          })
          const bytes = Buffer.concat([
            Buffer.of(type, Buffer.byteLength(name)),
            Buffer.from(name),
            encodeVici(message),
          ])
          const length = Buffer.alloc(4)
          length.writeUInt32BE(bytes.length)
          socket.write(Buffer.concat([length, bytes]))
        }),
    )
    turn = asked.catch(() => undefined)
    return asked
  }

  async function register(event: string): Promise<void> {
    const { type } = await exchange(REGISTER, event)
    if (type !== CONFIRM) throw new Error(`strongSwan has no events ${event}`)
  }
  async function ask(command: string, message?: ViciSection): Promise<ViciSection> {
    const { type, message: said } = await exchange(REQUEST, command, message)
    if (type !== RESPONSE) throw new Error(`strongSwan does not know ${command}`)
    if (said['success'] === 'no') throw new Error(typeof said['errmsg'] === 'string' ? said['errmsg'] : 'refused')
    return said
  }

  try {
    for (const event of events) await register(event)
  } catch (error) {
    end(error as Error)
    throw error
  }
  const registered = new Set(events)
  let listing: Promise<unknown> = Promise.resolve()
  return {
    get isOpen() {
      return isOpen
    },
    ask,
    list(command, event) {
      const result = listing.then(async () => {
        if (!registered.has(event)) await register(event)
        registered.add(event)
        const mine = { event, messages: [] as ViciSection[] }
        listed = mine
        await ask(command).finally(() => (listed = null))
        return mine.messages
      })
      listing = result.catch(() => undefined)
      return result
    },
    close: () => end(new Error('closed')),
  }
}

const connected = (path: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(socket)).once('error', reject)
  })

interface Packet {
  type: number
  name: string
  message: ViciSection
}

function packetIn(bytes: Buffer): Packet {
  const type = bytes[0] ?? RESPONSE
  if (type === EVENT) {
    const length = bytes[1] ?? 0
    return { type, name: bytes.toString('utf8', 2, 2 + length), message: decodeVici(bytes.subarray(2 + length)) }
  }
  return { type, name: '', message: type === RESPONSE ? decodeVici(bytes.subarray(1)) : {} }
}
