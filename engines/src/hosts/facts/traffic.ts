import type { HostDisk, HostInterface, HostTraffic } from '@mainstay/contract/infrastructure/node-facts'

/** Bytes since the host was started: from a device (`in`), and to it (`out`). */
interface Transferred {
  in: number
  out: number
}

/** The kernel counts sectors of this size, whatever the sector size of the disk is. */
const SECTOR_BYTES = 512

/** Returns the named counters of a device; throws if one of them is not a number. */
function counters(words: readonly string[], columnIn: number, columnOut: number, unit: number): Transferred {
  const [read, written] = [Number(words[columnIn]) * unit, Number(words[columnOut]) * unit]
  if (!Number.isFinite(read) || !Number.isFinite(written)) throw new Error(`unexpected line ${words.join(' ')}`)
  return { in: read, out: written }
}

/** Parses `/proc/diskstats`. */
export function parseDiskStats(text: string): Map<string, Transferred> {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return new Map(
    lines.map((line) => {
      const words = line.trim().split(/\s+/)
      return [words[2] ?? '', counters(words, 5, 9, SECTOR_BYTES)]
    }),
  )
}

/** Parses `/proc/net/dev`, whose first two lines are headings. */
export function parseNetDev(text: string): Map<string, Transferred> {
  const lines = text.split('\n').slice(2)
  return new Map(
    lines.flatMap((line) => {
      const colon = line.indexOf(':')
      if (colon < 0) return []
      const words = line
        .slice(colon + 1)
        .trim()
        .split(/\s+/)
      return [[line.slice(0, colon).trim(), counters(words, 0, 8, 1)] as const]
    }),
  )
}

/** Interfaces that transfer the bytes themselves, instead of passing them to another interface of the host. */
const ownTypes: readonly HostInterface['type'][] = ['ethernet', 'infiniband']

/** Adds up what the disks and the interfaces of a host have transferred. */
export function trafficOf(
  { disks, interfaces }: { disks: readonly Pick<HostDisk, 'device'>[]; interfaces: readonly HostInterface[] },
  { ofDisks, ofInterfaces }: Record<'ofDisks' | 'ofInterfaces', Map<string, Transferred> | null>,
): HostTraffic {
  const sum = (all: Map<string, Transferred> | null, names: readonly string[], way: keyof Transferred) =>
    all && names.reduce((total, name) => total + (all.get(name)?.[way] ?? 0), 0)
  const devices = disks.map(({ device }) => device)
  const names = interfaces.filter(({ type }) => ownTypes.includes(type)).map(({ name }) => name)
  return {
    ...{ disk_read: sum(ofDisks, devices, 'in'), disk_written: sum(ofDisks, devices, 'out') },
    ...{ received: sum(ofInterfaces, names, 'in'), sent: sum(ofInterfaces, names, 'out') },
  }
}
