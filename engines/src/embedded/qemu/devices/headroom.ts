import { MEMORY_STEP_MIB, type MachineSize, type MachineSpec } from '../../hypervisor'
import { pciSlot } from './places'

/*
 * vCPUs and memory that can be added at run time. vCPUs are hot-plugged one by one through ACPI. Memory is a single
 * virtio-mem device that exists from the start: it supports any size, requires no slots, and reports how much the guest
 * uses.
 */

export const nothingGrown: MachineSize = { vcpus: 0, ramMiB: 0 }

/** Device names in QEMU. vCPUs are numbered. */
export const memoryDevice = 'memory'
export const processorPrefix = 'cpu-'

const roundUp = (mib: number, to: number) => Math.max(0, Math.ceil(mib / to) * to)
export const inSteps = (mib: number) => roundUp(mib, MEMORY_STEP_MIB)

/** Rounds up, because Linux adds memory in whole blocks of address space, whose size depends on the total memory. */
const blockMiB = ({ ramMiB }: MachineSpec) => (ramMiB >= 64 * 1024 ? 2048 : 128)

/** Returns how much can be added to the initial size. */
export const headroomOf = ({ vcpus, ramMiB, room }: MachineSpec): MachineSize =>
  room ? { vcpus: Math.max(0, room.vcpus - vcpus), ramMiB: inSteps(room.ramMiB - ramMiB) } : nothingGrown

const addressesOf = (spec: MachineSpec) => roundUp(headroomOf(spec).ramMiB, blockMiB(spec))

/** Returns the options for the initial and the maximum size. */
export function sizeOptions(spec: MachineSpec): string[] {
  const most = spec.vcpus + headroomOf(spec).vcpus
  const addressesMiB = addressesOf(spec)
  return [
    ...['-smp', `cpus=${spec.vcpus},maxcpus=${most},sockets=1,cores=${most},threads=1`],
    ...['-m', `size=${spec.ramMiB}M${addressesMiB > 0 ? `,maxmem=${spec.ramMiB + addressesMiB}M` : ''}`],
  ]
}

/** Returns the memory device, and the vCPUs that were added before a suspend. */
export function headroomDevices(spec: MachineSpec, grown: MachineSize, model: string): string[] {
  const addressesMiB = addressesOf(spec)
  const processors = Array.from({ length: grown.vcpus }, (_, at) => hotProcessor(spec.vcpus + at, model))
  return [
    ...(addressesMiB > 0 ? memoryHeadroom(addressesMiB, grown.ramMiB) : []),
    ...processors.flatMap((device) => ['-device', JSON.stringify(device)]),
  ]
}

/** Returns the options for additional memory. The host does not allocate the memory until the guest uses it. */
const memoryHeadroom = (addressesMiB: number, givenMiB: number) => [
  ...['-object', `memory-backend-ram,id=room,size=${addressesMiB}M,reserve=off`],
  '-device',
  `virtio-mem-pci,id=${memoryDevice},bus=pci.0,addr=0x${pciSlot.memory.toString(16)},memdev=room,requested-size=${givenMiB}M`,
]

export const hotProcessor = (core: number, model: string) => ({
  driver: `${model}-x86_64-cpu`,
  id: `${processorPrefix}${core}`,
  'socket-id': 0,
  'core-id': core,
  'thread-id': 0,
})
