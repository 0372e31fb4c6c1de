import { canonical, toBigInt } from '../../../network-model/addresses'

/* Raw Ethernet frames sent by a guest, for specs. */

interface Neighbour {
  /** The sender's MAC address, which is also announced for the address. */
  mac: string
  source: string
  target: string
  /** Bytes of extension headers before the message; a multiple of 8. */
  extensions?: number
}

/** Returns the 16 bytes of an IPv6 address. */
export const bytesOf = (address: string) => Buffer.from(toBigInt(address).toString(16).padStart(32, '0'), 'hex')
const macBytes = (mac: string) => Buffer.from(mac.replaceAll(':', ''), 'hex')
const [ip6, destinationOptions, icmpv6] = [0x86dd, 60, 58]
/** An option that hosts skip if they do not recognize it (RFC 4727). */
const experimental = 0x1e

/**
 * Returns a neighbour discovery message (RFC 4861) to all nodes. A solicitation from `::` probes whether `target` is
 * free.
 */
export function neighbourMessage(
  kind: 'solicitation' | 'advertisement',
  { mac, source, target, extensions = 0 }: Neighbour,
): Buffer {
  const [from, to] = [bytesOf(source), bytesOf('ff02::1')]
  const isQuestion = kind === 'solicitation'
  const option =
    canonical(source) === '::' ? Buffer.alloc(0) : Buffer.concat([Buffer.from([isQuestion ? 1 : 2, 1]), macBytes(mac)])
  const head = Buffer.from([isQuestion ? 135 : 136, 0, 0, 0, isQuestion ? 0 : 0x20, 0, 0, 0])
  const message = Buffer.concat([head, bytesOf(target), option])
  const pseudo = Buffer.concat([from, to, Buffer.from([0, 0, 0, message.length, 0, 0, 0, icmpv6]), message])
  let sum = 0
  for (let at = 0; at < pseudo.length; at += 2) sum += pseudo.readUInt16BE(at)
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16)
  message.writeUInt16BE(~sum & 0xffff, 2)
  // contains the sender's address, which a rule that ignores extension headers would take for the target
  const behind = Buffer.alloc(extensions)
  if (extensions > 0)
    Buffer.concat([Buffer.from([icmpv6, extensions / 8 - 1, experimental, extensions - 4, 0, 0, 0, 0]), from]).copy(
      behind,
    )
  const ip = Buffer.alloc(8)
  ip.writeUInt8(0x60, 0)
  ip.writeUInt16BE(behind.length + message.length, 4)
  ip.writeUInt8(extensions > 0 ? destinationOptions : icmpv6, 6)
  ip.writeUInt8(255, 7)
  const type = Buffer.alloc(2)
  type.writeUInt16BE(ip6)
  return Buffer.concat([macBytes('33:33:00:00:00:01'), macBytes(mac), type, ip, from, to, behind, message])
}

/** Returns an ARP probe (RFC 5227), which tests whether `target` is free. */
export const arpProbe = (mac: string, target: string): Buffer =>
  Buffer.concat([
    ...[macBytes('ff:ff:ff:ff:ff:ff'), macBytes(mac), Buffer.from([8, 6, 0, 1, 8, 0, 6, 4, 0, 1]), macBytes(mac)],
    ...[Buffer.alloc(10), Buffer.from(target.split('.').map(Number))],
  ])

/** Returns a shell script for a guest that sends raw frames through its network interface. */
export const sendFrame = (...frames: readonly Buffer[]) => `perl -e '
socket(my $s, 17, 3, 0) or die $!;
my $n = 0; for (\`ip -o link show dev eth0\`) { /^(\\d+)/ and $n = $1 }
my $to = pack("SnlSCCa8", 17, 0x86dd, $n, 0, 0, 6, "");
send($s, pack("H*", $_), 0, $to) or die $! for qw(${frames.map((frame) => frame.toString('hex')).join(' ')});'`
