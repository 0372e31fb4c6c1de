import type { Instance } from '@mainstay/contract/compute/instances'
import type { Subnet } from '@mainstay/contract/networking/subnets'
import { hostNameOf } from '../../networking/host-name'
import type { RecordsTransaction } from '../../ports/records'
import type { Engine } from '../engine'
import type { DiskBus, MachineDisk, MachineNic, MachineSpec } from '../hypervisor'

/** A disk as it is kept: its path follows from what it is. */
export interface PlannedDisk {
  /** Of the volume, or of the ISO image. */
  id: string
  kind: 'volume' | 'iso'
  bus: DiskBus
  bootIndex: number | null
}

/** What the engine alone knows of an instance; with the row it makes the machine. */
export interface InstancePlan {
  firmware: 'bios' | 'uefi'
  /** By the image that it boots from. Plans of earlier versions do not say. */
  isWindows?: boolean
  hostname: string
  disks: PlannedDisk[]
  nics: Omit<MachineNic, 'hostname'>[]
  /** Base64, as it was sent. */
  userData: string | null
  publicKey: string | null
  /** The shutdown that is under way: whoever finds another token here was overtaken. */
  stopping: { token: string } | null
  /** Of the server group that it was made in. */
  serverGroup?: string | null
  /** What it is rescued with, from the command until it starts from its own disks again. */
  rescue?: RescuePlan | null
}

/** A disk that boots before all others: a copy of an image, or an ISO as it is. */
export interface RescuePlan {
  imageId: string
  kind: 'copy' | 'iso'
  /** The machine was started with it. */
  isOn: boolean
  bus: DiskBus
  /** Of the copy. */
  sizeBytes: number
  firmware: InstancePlan['firmware']
  /** Who logs in to the image by its key. */
  username: string | null
}

export async function getPlan(tx: RecordsTransaction, id: string): Promise<InstancePlan> {
  const plan = await tx.getPrivate<InstancePlan>('server', id)
  if (plan) return plan
  const row = await tx.get<Instance>('server', id)
  if (!row) throw new Error(`instance ${id} has neither a plan nor a row`)
  return planOf(tx, row)
}

/** What the row alone says: enough for the instances of a world, which are written without a plan. */
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

/** The machine that is to start, with its cards plugged into the networks that this host carries. */
export async function pluggedSpec(engine: Engine, row: Instance, plan: InstancePlan): Promise<MachineSpec> {
  const spec = machineSpec(engine, row, plan)
  return { ...spec, onSwitches: true, nics: await engine.carrier.plugged(spec.nics) }
}

/** `vda`, `vdb` ... `vdz`, `vdaa`: the first that no disk of the instance has. */
export function nextDevice(volumes: Instance['volumes'], prefix = 'vd'): string {
  const taken = new Set(volumes.map((volume) => volume.device))
  for (let at = 0; ; at++) {
    const first = at >= 26 ? String.fromCharCode(96 + Math.floor(at / 26)) : ''
    const device = `${prefix}${first}${String.fromCharCode(97 + (at % 26))}`
    if (!taken.has(device)) return device
  }
}
