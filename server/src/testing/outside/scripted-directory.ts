import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { BerReader, BerWriter, FilterParser } from 'ldapts'

/** A request received by the directory. */
export interface Asked {
  id: number
  what: 'bind' | 'search' | 'extended' | 'unbind'
  /** The DN that the client binds as. */
  dn: string
  password: string
  /** Filter of a search, as text. */
  filter: string
  attributes: string[]
  /** Cookie of the requested page; empty for the first one. */
  cookie: string
}

const requests: Readonly<Record<number, Asked['what']>> = {
  0x60: 'bind',
  0x63: 'search',
  0x77: 'extended',
  0x42: 'unbind',
}

function read(bytes: Buffer): Asked {
  const reader = new BerReader(bytes)
  reader.readSequence()
  const id = reader.readInt()!
  const tag = reader.readSequence()!
  const asked: Asked = { id, what: requests[tag]!, ...{ dn: '', password: '', filter: '', cookie: '' }, attributes: [] }
  if (asked.what === 'bind') {
    reader.readInt()
    asked.dn = reader.readString()!
    asked.password = reader.readString(0x80)!
  }
  if (asked.what === 'search') {
    reader.readString()
    for (const _ of [1, 2]) reader.readEnumeration()
    for (const _ of [1, 2]) reader.readInt()
    reader.readBoolean()
    asked.filter = FilterParser.parse(reader).toString()
    reader.readSequence()
    const end = reader.offset + reader.length
    while (reader.offset < end) asked.attributes.push(reader.readString()!)
    for (const _ of [1, 2]) reader.readSequence()
    reader.readString()
    if (reader.peek() === 1) reader.readBoolean()
    const pages = new BerReader(reader.readString(4, true)!)
    pages.readSequence()
    pages.readInt()
    asked.cookie = pages.readString()!
  }
  return asked
}

function message(id: number, tag: number, content: (writer: BerWriter) => void, cookie?: string): Buffer {
  const writer = new BerWriter()
  writer.startSequence()
  writer.writeInt(id)
  writer.startSequence(tag)
  content(writer)
  writer.endSequence()
  if (cookie !== undefined) {
    const value = new BerWriter()
    value.startSequence()
    value.writeInt(0)
    value.writeString(cookie)
    value.endSequence()
    writer.startSequence(0xa0)
    writer.startSequence()
    writer.writeString('1.2.840.113556.1.4.319')
    writer.writeBuffer(value.buffer, 4)
    writer.endSequence()
    writer.endSequence()
  }
  writer.endSequence()
  return Buffer.from(writer.buffer)
}

/** The result of a bind, search or extended request. `cookie`: there are more pages. */
export const result = ({ id, what }: Asked, code = 0, cookie = ''): Buffer =>
  message(
    id,
    { bind: 0x61, search: 0x65, extended: 0x78, unbind: 0 }[what],
    (writer) => {
      writer.writeEnumeration(code)
      writer.writeString('')
      writer.writeString('the name of an inner machine')
    },
    what === 'search' ? cookie : undefined,
  )

/** A search result entry. */
export const found = ({ id }: Asked, dn: string, attributes: Record<string, string | Buffer | readonly string[]>) =>
  message(id, 0x64, (writer) => {
    writer.writeString(dn)
    writer.startSequence()
    for (const [name, values] of Object.entries(attributes)) {
      writer.startSequence()
      writer.writeString(name)
      writer.startSequence(0x31)
      for (const value of typeof values === 'string' || Buffer.isBuffer(values) ? [values] : values)
        writer.writeBuffer(Buffer.from(value as string), 4)
      writer.endSequence()
      writer.endSequence()
    }
    writer.endSequence()
  })

/** A search result reference to another directory. */
export const reference = ({ id }: Asked, address: string) => message(id, 0x73, (writer) => writer.writeString(address))

export interface ScriptedDirectory {
  port: number
  asked: Asked[]
  /** Open connections of clients. */
  open: Set<Socket>
  close(): Promise<void>
}

/** Starts an LDAP directory with scripted responses, including invalid ones. */
export async function startScriptedDirectory(
  script: (asked: Asked, socket: Socket) => readonly Buffer[] | null,
): Promise<ScriptedDirectory> {
  const asked: Asked[] = []
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    socket.on('error', () => undefined)
    // test requests are small and sent one at a time, so each chunk is a whole request
    socket.on('data', (bytes) => {
      // ignore other protocols, such as a TLS handshake
      if (bytes[0] !== 0x30) return
      const one = read(bytes)
      asked.push(one)
      for (const answer of script(one, socket) ?? []) socket.write(answer)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    ...{ port: (server.address() as AddressInfo).port, asked, open },
    async close() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
