import type { Instance } from '@mainstay/contract/compute/instances'
import type { FloatingIp } from '@mainstay/contract/networking/floating-ips'
import type { Network } from '@mainstay/contract/networking/networks'
import { deviceOwners, type Port } from '@mainstay/contract/networking/ports'
import type { Router } from '@mainstay/contract/networking/routers'
import type { NetworkRows } from '../../networking/compile-wanted'
import type { Entity, Records, RecordsTransaction } from '../../ports/records'
import type { Applied } from '../../network-model/wanted'
import { portStatusOf } from '../networking/follow-names'

type Told = Entity & { status: string; fault?: string | null | undefined }

/** Whether the row is out of date: it does not show the current fault, or shows one that has been resolved. */
const isOtherwise = ({ id, status, fault }: Told, faults: ReadonlyMap<string, string>): boolean =>
  faults.has(id) ? fault !== faults.get(id) || status !== 'ERROR' : status === 'ERROR'

/** Returns the status that a row has when there is no fault. */
type Sound<Row> = (tx: RecordsTransaction, row: Row) => Promise<string>

/** Records in the rows which networking objects could not be set up on this host, and clears resolved faults. */
export async function reportFaults(records: Records, rows: NetworkRows, applied: Applied): Promise<void> {
  await tell<Network>(records, 'network', rows.networks, applied.networks, async () => 'ACTIVE')
  await tell<Router>(records, 'router', rows.routers, applied.routers, async () => 'ACTIVE')
  await tell<Port>(records, 'port', rows.ports, applied.ports, async (tx, port) => {
    if (port.device_owner !== deviceOwners.instance) return port.device_id === '' ? 'DOWN' : 'ACTIVE'
    const server = await tx.get<Instance>('server', port.device_id)
    return server ? portStatusOf(server) : 'DOWN'
  })
  await tell<FloatingIp>(records, 'floating_ip', rows.floating, applied.floating, async (_, { port_id }) =>
    port_id === null ? 'DOWN' : 'ACTIVE',
  )
}

async function tell<Row extends Told>(
  records: Records,
  kind: string,
  rows: readonly Row[],
  faults: ReadonlyMap<string, string>,
  sound: Sound<Row>,
): Promise<void> {
  for (const { id } of rows.filter((row) => isOtherwise(row, faults)))
    await records.transaction(async (tx) => {
      const row = await tx.lock<Row>(kind, id)
      // a pending task creates or deletes the object
      if (!row || row.status.startsWith('PENDING') || row.status === 'BUILD' || !isOtherwise(row, faults)) return
      const fault = faults.get(id) ?? null
      await tx.put(kind, { ...row, status: fault === null ? await sound(tx, row) : 'ERROR', fault })
    })
}
