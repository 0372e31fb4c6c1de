import { createServer } from 'node:net'
import { problem } from '@mainstay/contract/core/problems'
import type { FloatingIp, PublishedPort } from '@mainstay/contract/networking/floating-ips'
import type { RecordsTransaction } from '../../ports/records'
import { now } from './rows'

/*
 * Floating IP ports that are published on this machine. Each floating IP has its own loopback address, stored in a
 * private record, so that several floating IPs can publish the same port.
 */

const privateKind = 'loopback'
export const MAX_PUBLISHED_PORTS = 20

type Asked = Pick<PublishedPort, 'port' | 'protocol'>
const isSame = (one: Asked, other: Asked) => one.port === other.port && one.protocol === other.protocol

/** Ordinary users cannot listen on lower ports. */
const firstFree = 1024
const hostPortOf = (port: number): number => (port >= firstFree ? port : 8000 + port)

const noWay = 'The floating IP is not assigned'
/** Sets or clears the fault on published ports, depending on whether the floating IP is assigned. */
export const published = (floating: FloatingIp): FloatingIp => ({
  ...floating,
  published_ports: (floating.published_ports ?? []).map((it) => ({
    ...it,
    fault: floating.port_id === null ? noWay : it.fault === noWay ? null : it.fault,
  })),
})

const lastHost = 254 * 254

/** Returns a loopback address from `127.50.1.1` to `127.50.254.254`. */
const loopbackAt = (place: number): string => `127.50.${1 + Math.floor(place / 254)}.${1 + (place % 254)}`

/** Allocates a loopback address. The search starts at an address derived from the floating IP. */
async function takeLoopback(tx: RecordsTransaction, { id, floating_ip_address }: FloatingIp): Promise<string> {
  const mine = await tx.getPrivate<{ address: string }>(privateKind, id)
  if (mine) return mine.address
  await tx.exclusive('loopback addresses')
  const [, , third = 0, last = 0] = floating_ip_address.split('.').map(Number)
  const from = (third * 254 + last) % lastHost
  for (let tried = 0; tried < lastHost; tried++) {
    const address = loopbackAt((from + tried) % lastHost)
    if (await tx.getPrivate(privateKind, address)) continue
    await tx.putPrivate(privateKind, address, { floating_ip_id: id })
    await tx.putPrivate(privateKind, id, { address })
    return address
  }
  throw problem('networking.loopback_used_up')
}

/** Whether another process listens on this address, or on all addresses of this machine. */
const isTaken = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(true))
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(false)))
  })

const tries = 50

/** Publishes another port of a floating IP on this machine. Idempotent. */
export async function publish(tx: RecordsTransaction, floating: FloatingIp, asked: Asked): Promise<FloatingIp> {
  const known = floating.published_ports ?? []
  if (known.some((it) => isSame(it, asked))) return floating
  if (known.length >= MAX_PUBLISHED_PORTS)
    throw problem('networking.too_many_published_ports', { most: MAX_PUBLISHED_PORTS })
  const host_address = await takeLoopback(tx, floating)
  for (let host_port = hostPortOf(asked.port), tried = 0; tried < tries; tried++, host_port++) {
    if (host_port > 65_535) host_port = firstFree
    if (known.some((it) => it.host_port === host_port && it.protocol === asked.protocol)) continue
    if (asked.protocol === 'tcp' && (await isTaken(host_address, host_port))) continue
    const open: PublishedPort = { ...asked, host_address, host_port, fault: null }
    return { ...floating, published_ports: [...known, open], updated_at: now() }
  }
  throw problem('networking.no_host_port', { address: host_address })
}

export const unpublish = (floating: FloatingIp, asked: Asked): FloatingIp => ({
  ...floating,
  published_ports: (floating.published_ports ?? []).filter((it) => !isSame(it, asked)),
  updated_at: now(),
})

/** Releases the loopback address of a floating IP. Idempotent. */
export async function closed(tx: RecordsTransaction, floatingIpId: string): Promise<void> {
  const mine = await tx.getPrivate<{ address: string }>(privateKind, floatingIpId)
  if (!mine) return
  await tx.removePrivate(privateKind, mine.address)
  await tx.removePrivate(privateKind, floatingIpId)
}
