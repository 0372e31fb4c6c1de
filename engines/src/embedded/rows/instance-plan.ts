import type { Instance } from '@mainstay/contract/compute/instances'
import type { Subnet } from '@mainstay/contract/networking/subnets'
import { hostNameOf } from '../../networking/host-name'
import type { RecordsTransaction } from '../../ports/records'
import type { Engine } from '../engine'
import type { DiskBus, MachineDisk, MachineNic, MachineSpec } from '../hypervisor'

/** A disk as stored. Its path is derived from its kind and ID. */
export interface PlannedDisk {
  /** ID of the volume or the ISO image. */
  id: string
  kind: 'volume' | 'iso'
  bus: DiskBus
  bootIndex: number | null
}

/** Instance data that only the engine uses. Together with the row, it defines the machine. */
export interface InstancePlan {
  firmware: 'bios' | 'uefi'
  /** Derived from the image that the instance boots from. Missing in plans from earlier versions. */
  isWindows?: boolean
  hostname: string
  disks: PlannedDisk[]
  nics: Omit<MachineNic, 'hostname'>[]
  /** Base64, as received. */
  userData: string | null
  publicKey: string | null
  /** The current shutdown. A job with a different token has been superseded by another request. */
  stopping: { token: string } | null
  /** ID of the server group that the instance was created in. */
  serverGroup?: string | null
  /** The current rescue, from the command until the next start from the instance's own disks. */
  rescue?: RescuePlan | null
}

/** A disk that takes precedence over all others at boot: a copy of an image, or an ISO. */
export interface RescuePlan {
  imageId: string
  kind: 'copy' | 'iso'
  /** Whether the machine was started with this disk. */
  isOn: boolean
  bus: DiskBus
  /** Size of the copy. */
  sizeBytes: number
  firmware: InstancePlan['firmware']
  /** Account in the image that the SSH key is for. */
  username: string | null
}

export async function getPlan(tx: RecordsTransaction, id: string): Promise<InstancePlan> {
  const plan = await tx.getPrivate<InstancePlan>('server', id)
  if (plan) return plan
  const row = await tx.get<Instance>('server', id)
  if (!row) throw new Error(`instance ${id} has neither a plan nor a row`)
  return planOf(tx, row)
}

/** Derives a plan from the row, for instances of a world, which have no stored plan. */
async function planOf(tx: RecordsTransaction, row: Instance): Promise<InstancePlan> {
  const nics: InstancePlan['nics'] = []
  for (const { port_id, mac_addr, fixed_ips } of row.network_data) {
    const [ip] = fixed_ips
    const subnet = ip ? await tx.get<Subnet>('subnet', ip.subnet_id) : null
    nics.push({
      id: port_id,
      mac: mac_addr,
      address: ip?.ip_address ?? null,
      cidr: subnet?.cidr ?? '10.0.2.0/24',
      connected: true,
    })
  }
  return {
    firmware: 'bios',
    hostname: hostNameOf(row.name, row.id),
    disks: row.volumes.map(({ id, boot_index }) => ({ id, kind: 'volume', bus: 'virtio', bootIndex: boot_index })),
    nics,
    userData: null,
    publicKey: null,
    stopping: null,
  }
}
export const putPlan = (tx: RecordsTransaction, id: string, plan: InstancePlan): Promise<void> =>
  tx.putPrivate('server', id, plan)

export const machineDisk = ({ files }: Engine, { id, kind, bus, bootIndex }: PlannedDisk): MachineDisk => ({
  id,
  path: kind === 'volume' ? files.volume(id) : files.image(id),
  format: kind === 'volume' ? 'qcow2' : 'raw',
  bus,
  cdrom: kind === 'iso',
  bootIndex,
})

const machineSpec = (
  engine: Engine,
  { id, name, flavor, max_vcpu, max_mem }: Instance,
  { firmware, isWindows = false, hostname, disks, nics }: InstancePlan,
): MachineSpec => ({
  id,
  name,
  vcpus: flavor.vcpus,
  ramMiB: flavor.ram,
  room: max_vcpu === null || max_mem === null ? null : { vcpus: max_vcpu, ramMiB: max_mem },
  ...{ firmware, isWindows },
  disks: disks.map((disk) => machineDisk(engine, disk)),
  nics: nics.map((nic) => ({ ...nic, hostname })),
  seed: engine.files.seed(id),
})

/** Returns the spec for starting the machine, with its interfaces plugged into the networks of this host. */
export async function pluggedSpec(engine: Engine, row: Instance, plan: InstancePlan): Promise<MachineSpec> {
  const spec = machineSpec(engine, row, plan)
  return { ...spec, onSwitches: true, nics: await engine.carrier.plugged(spec.nics) }
}

/** Returns the first of `vda`, `vdb` ... `vdz`, `vdaa` that no volume of the instance uses. */
export function nextDevice(volumes: Instance['volumes'], prefix = 'vd'): string {
  const taken = new Set(volumes.map((volume) => volume.device))
  for (let at = 0; ; at++) {
    const first = at >= 26 ? String.fromCharCode(96 + Math.floor(at / 26)) : ''
    const device = `${prefix}${first}${String.fromCharCode(97 + (at % 26))}`
    if (!taken.has(device)) return device
  }
}
