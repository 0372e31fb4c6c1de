import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { Ber, BerReader } from 'ldapts'

/** A trap as received: all fields of the message. */
interface TakenTrap {
  version: number
  community: string
  /** Tag of the PDU. */
  pdu: number
  requestId: number
  errorStatus: number
  errorIndex: number
  /** Text by OID; numbers of time ticks as text. */
  values: Record<string, string>
  bytes: number
}

export interface TrapReceiver {
  port: number
  taken: TakenTrap[]
  close(): Promise<void>
}

/** Decodes a trap with a BER reader other than the code under test. */
function read(bytes: Buffer): TakenTrap {
  const reader = new BerReader(bytes)
  reader.readSequence()
  const version = reader.readInt()!
  const community = reader.readString()!
  const pdu = reader.readSequence()!
  const [requestId, errorStatus, errorIndex] = [reader.readInt()!, reader.readInt()!, reader.readInt()!]
  reader.readSequence()
  const values: Record<string, string> = {}
  const end = reader.offset + reader.length
  while (reader.offset < end) {
    reader.readSequence()
    const name = reader.readOID()!
    const tag = reader.peek()!
    if (tag === Ber.OID) values[name] = reader.readOID()!
    else if (tag === Ber.OctetString) values[name] = reader.readString()!
    else values[name] = String(reader.readTag(tag))
  }
  return { version, community, pdu, requestId, errorStatus, errorIndex, values, bytes: bytes.length }
}

/** Starts a receiver of SNMPv2c traps on loopback. */
export async function startTrapReceiver(ip: '127.0.0.1' | '::1' = '127.0.0.1'): Promise<TrapReceiver> {
  const taken: TakenTrap[] = []
  const socket = createSocket(ip === '::1' ? 'udp6' : 'udp4')
  socket.on('message', (bytes) => taken.push(read(bytes)))
  socket.bind(0, ip)
  await once(socket, 'listening')
  return {
    port: socket.address().port,
    taken,
    async close() {
      socket.close()
      await once(socket, 'close')
    },
  }
}
