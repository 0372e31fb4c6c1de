import { MEMORY_STEP_MIB, type MachineSize, type MachineSpec } from '../../hypervisor'
import { pciSlot } from './places'

/*
 * Processors and memory that come while the guest runs. Processors are plugged in by ACPI, one by one. Memory is one
 * virtio-mem device that is there from the start: it takes any size, needs no slots, and says what the guest really took.
 */

export const nothingGrown: MachineSize = { vcpus: 0, ramMiB: 0 }

/** Names of the devices in QEMU; those of processors end with their number. */
export const memoryDevice = 'memory'
export const processorPrefix = 'cpu-'

const roundUp = (mib: number, to: number) => Math.max(0, Math.ceil(mib / to) * to)
export const inSteps = (mib: number) => roundUp(mib, MEMORY_STEP_MIB)

/** Linux uses whole blocks of addresses only, which are larger in a large machine; so the device has addresses to spare. */
const blockMiB = ({ ramMiB }: MachineSpec) => (ramMiB >= 64 * 1024 ? 2048 : 128)

/** How much more than it starts with it may be given. */
export const headroomOf = ({ vcpus, ramMiB, room }: MachineSpec): MachineSize =>
  room ? { vcpus: Math.max(0, room.vcpus - vcpus), ramMiB: inSteps(room.ramMiB - ramMiB) } : nothingGrown

const addressesOf = (spec: MachineSpec) => roundUp(headroomOf(spec).ramMiB, blockMiB(spec))

/** Processors and memory that it starts with, and the most that it may have. */
export function sizeOptions(spec: MachineSpec): string[] {
  const most = spec.vcpus + headroomOf(spec).vcpus
  const addressesMiB = addressesOf(spec)
  return [
    ...['-smp', `cpus=${spec.vcpus},maxcpus=${most},sockets=1,cores=${most},threads=1`],
    ...['-m', `size=${spec.ramMiB}M${addressesMiB > 0 ? `,maxmem=${spec.ramMiB + addressesMiB}M` : ''}`],
  ]
}

/** The device that brings memory, and the processors that came before the machine's memory was saved. */
export function headroomDevices(spec: MachineSpec, grown: MachineSize, model: string): string[] {
  const addressesMiB = addressesOf(spec)
  const processors = Array.from({ length: grown.vcpus }, (_, at) => hotProcessor(spec.vcpus + at, model))
  return [
    ...(addressesMiB > 0 ? memoryHeadroom(addressesMiB, grown.ramMiB) : []),
    ...processors.flatMap((device) => ['-device', JSON.stringify(device)]),
  ]
}

/** Nothing is taken of the host before the guest uses it. */
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
