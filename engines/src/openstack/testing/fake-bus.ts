import { createServer, type AddressInfo, type Socket } from 'node:net'

/*
 * The part of AMQP that a notification listener uses: https://www.rabbitmq.com/resources/specs/amqp0-9-1.pdf. As with a
 * real bus, binding a queue to a missing exchange closes the channel.
 */

export interface FakeBus {
  url: string
  /** Returns the current bindings, such as `nova notifications.*`. */
  bindings(): string[]
  connections(): number
  publish(exchange: string, routingKey: string, message: object): void
  /** Closes all connections and refuses new ones until `comeBack`. */
  goAway(): void
  comeBack(): void
  close(): Promise<void>
}

interface Client {
  socket: Socket
  channel: number
  bindings: { exchange: string; pattern: string }[]
}

const FRAME = { method: 1, header: 2, body: 3, heartbeat: 8, end: 0xce } as const

const short = (value: number) => {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}
const long = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const longLong = (value: number) => Buffer.concat([long(0), long(value)])
const shortText = (text: string) => Buffer.concat([Buffer.from([Buffer.byteLength(text)]), Buffer.from(text)])
const longText = (text: string) => Buffer.concat([long(Buffer.byteLength(text)), Buffer.from(text)])
const frame = (type: number, channel: number, ...payload: Buffer[]) => {
  const content = Buffer.concat(payload)
  return Buffer.concat([Buffer.from([type]), short(channel), long(content.length), content, Buffer.from([FRAME.end])])
}
const method = (channel: number, [group, id]: [number, number], ...fields: Buffer[]) =>
  frame(FRAME.method, channel, short(group), short(id), ...fields)

/** Reads consecutive short strings that follow two reserved bytes. */
function shortTexts(fields: Buffer, count: number): string[] {
  const texts: string[] = []
  let at = 2
  while (texts.length < count) {
    const length = fields[at]!
    texts.push(fields.toString('utf8', at + 1, at + 1 + length))
    at += 1 + length
  }
  return texts
}

export async function startFakeBus(exchanges: string[]): Promise<FakeBus> {
  const known = new Set(exchanges)
  const clients = new Set<Client>()
  let isAway = false

  function answer(client: Client, channel: number, name: string, fields: Buffer): Buffer | null {
    switch (name) {
      case '10.11':
        return method(0, [10, 30], short(2047), long(131_072), short(10))
      case '10.40':
        return method(0, [10, 41], shortText(''))
      case '10.50':
        return method(0, [10, 51])
      case '20.10':
        return method(channel, [20, 11], longText(''))
      case '20.40':
        return method(channel, [20, 41])
      case '40.10': {
        const [exchange = ''] = shortTexts(fields, 1)
        if (known.has(exchange)) return method(channel, [40, 11])
        return method(channel, [20, 40], short(404), shortText(`no exchange '${exchange}'`), short(40), short(10))
      }
      case '50.10':
        return method(channel, [50, 11], shortText('amq.gen-spec'), long(0), long(0))
      case '50.20': {
        const [, exchange = '', pattern = ''] = shortTexts(fields, 3)
        client.bindings.push({ exchange, pattern })
        return method(channel, [50, 21])
      }
      case '60.20':
        client.channel = channel
        return method(channel, [60, 21], shortText('spec'))
      default:
        return null
    }
  }

  const server = createServer((socket) => {
    if (isAway) return void socket.destroy()
    const client: Client = { socket, channel: 0, bindings: [] }
    clients.add(client)
    socket.on('close', () => clients.delete(client))
    socket.on('error', () => undefined)
    let waiting = Buffer.alloc(0)
    let isGreeted = false
    socket.on('data', (bytes: Buffer) => {
      waiting = Buffer.concat([waiting, bytes])
      if (!isGreeted && waiting.length >= 8) {
        isGreeted = true
        waiting = waiting.subarray(8)
        const start = [Buffer.from([0, 9]), long(0), longText('PLAIN'), longText('en_US')]
        socket.write(method(0, [10, 10], ...start))
      }
      while (waiting.length >= 7 && waiting.length >= 8 + waiting.readUInt32BE(3)) {
        const size = waiting.readUInt32BE(3)
        const [type, channel] = [waiting[0], waiting.readUInt16BE(1)]
        const payload = waiting.subarray(7, 7 + size)
        waiting = waiting.subarray(8 + size)
        if (type !== FRAME.method) continue
        const name = `${payload.readUInt16BE(0)}.${payload.readUInt16BE(2)}`
        const reply = answer(client, channel, name, payload.subarray(4))
        if (reply) socket.write(reply)
        if (name === '10.50') socket.end()
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  function publish(exchange: string, routingKey: string, message: object): void {
    const body = Buffer.from(JSON.stringify(message))
    for (const { socket, channel, bindings } of clients) {
      const hears = bindings.some(
        (it) => it.exchange === exchange && it.pattern === routingKey.replace(/\.[^.]*$/, '.*'),
      )
      if (!hears || channel === 0) continue
      const where = [shortText('spec'), longLong(1), Buffer.from([0]), shortText(exchange), shortText(routingKey)]
      socket.write(
        Buffer.concat([
          method(channel, [60, 60], ...where),
          frame(FRAME.header, channel, short(60), short(0), longLong(body.length), short(0)),
          frame(FRAME.body, channel, body),
        ]),
      )
    }
  }

  return {
    url: `amqp://mainstay:secret@127.0.0.1:${port}/`,
    bindings: () =>
      [...clients].flatMap(({ bindings }) => bindings.map(({ exchange, pattern }) => `${exchange} ${pattern}`)),
    connections: () => clients.size,
    publish,
    goAway() {
      isAway = true
      for (const { socket } of clients) socket.destroy()
    },
    comeBack() {
      isAway = false
    },
    async close() {
      for (const { socket } of clients) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
