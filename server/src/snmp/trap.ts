/* Encodes SNMPv2c traps (RFC 3416). Implements only those parts of BER (X.690) that traps use. */

/** An object of a trap: its OID, and its text. */
type TrapObject = readonly [oid: string, text: string]

interface TrapMessage {
  community: string
  requestId: number
  /** Hundredths of a second since the server started. */
  uptime: number
  /** OID of the notification. */
  notification: string
  objects: readonly TrapObject[]
}

const SYS_UP_TIME = '1.3.6.1.2.1.1.3.0'
const SNMP_TRAP_OID = '1.3.6.1.6.3.1.1.4.1.0'
const V2C = 1
const tag = { integer: 0x02, octets: 0x04, oid: 0x06, sequence: 0x30, timeTicks: 0x43, trap: 0xa7 } as const

/** Encodes a value with its tag and length. */
function tagged(kind: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([kind, ...size]), content])
}

/** Splits a number into digits of base 2^bits, most significant first. */
function digits(value: number, bits: 7 | 8): number[] {
  const base = 2 ** bits
  return value < base ? [value] : [...digits(Math.floor(value / base), bits), value % base]
}

/** Encodes a non-negative number. A leading zero keeps the sign bit clear. */
function whole(kind: number, value: number): Buffer {
  const bytes = digits(value, 8)
  return tagged(kind, Buffer.from(bytes[0]! < 0x80 ? bytes : [0, ...bytes]))
}

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  const arcs = [first * 40 + second, ...rest]
  return tagged(
    tag.oid,
    // all digits of an arc except the last one have the high bit set
    Buffer.from(
      arcs.flatMap((arc) => digits(arc, 7).map((digit, at, { length }) => digit | (at < length - 1 ? 0x80 : 0))),
    ),
  )
}

const octets = (text: string): Buffer => tagged(tag.octets, Buffer.from(text))
const sequence = (...parts: readonly Buffer[]): Buffer => tagged(tag.sequence, ...parts)

/** Encodes a trap as a datagram. */
export function trapBytes({ community, requestId, uptime, notification, objects }: TrapMessage): Buffer {
  const bindings = [
    sequence(oid(SYS_UP_TIME), whole(tag.timeTicks, uptime % 2 ** 32)),
    sequence(oid(SNMP_TRAP_OID), oid(notification)),
    ...objects.map(([name, text]) => sequence(oid(name), octets(text))),
  ]
  const none = whole(tag.integer, 0)
  const pdu = tagged(tag.trap, whole(tag.integer, requestId), none, none, sequence(...bindings))
  return sequence(whole(tag.integer, V2C), octets(community), pdu)
}
