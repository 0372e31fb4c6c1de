import { MachineFault, type GrownSize, type MachineSize } from '../../hypervisor'
import { availableRam } from '../host'
import type { Qmp } from '../qmp'
import { asFault } from '../reasons'
import type { MachineRecord } from '../machines/record'
import { hotProcessor, inSteps, memoryDevice, nothingGrown, processorPrefix, headroomOf } from './headroom'

/*
 * Adds vCPUs and memory to a running machine, within its headroom.
 */

const mebibyte = 1024 ** 2
const memoryPath = `/machine/peripheral/${memoryDevice}`

/** The part of a machine that is required to grow it. */
interface Growing {
  readonly record: Readonly<MachineRecord>
  qmp(): Qmp
  grew(grown: MachineSize): void
}

/** Grows the machine to a size. Never shrinks it. */
export async function grow(machine: Growing, to: MachineSize, model: string): Promise<void> {
  const qmp = machine.qmp()
  const { spec, grown = nothingGrown } = machine.record
  const wanted = {
    vcpus: Math.max(grown.vcpus, to.vcpus - spec.vcpus),
    ramMiB: Math.max(grown.ramMiB, inSteps(to.ramMiB - spec.ramMiB)),
  }
  const room = headroomOf(spec)
  if (wanted.vcpus > room.vcpus || wanted.ramMiB > room.ramMiB) {
    throw new MachineFault('failed', 'The virtual machine has no headroom for this size. Restart it with the new size')
  }
  if ((wanted.ramMiB - grown.ramMiB) * mebibyte > (await availableRam())) {
    throw new MachineFault('no_memory', 'The host does not have enough free memory for the virtual machine')
  }
  // Update the record first: after an interruption, the next server process compares it with QEMU.
  machine.grew(wanted)
  try {
    if (wanted.ramMiB > 0) await setProperty(qmp, 'requested-size', wanted.ramMiB * mebibyte)
    const present = await peripherals(qmp)
    for (let core = spec.vcpus; core < spec.vcpus + wanted.vcpus; core++) {
      const processor = hotProcessor(core, model)
      if (!present.has(processor.id)) await qmp.execute('device_add', processor)
    }
  } catch (error) {
    machine.grew(await presentGrowth(qmp))
    throw asFault(error)
  }
}

/** Returns the vCPUs and memory that QEMU has actually added. */
export async function presentGrowth(qmp: Qmp): Promise<MachineSize> {
  const present = await peripherals(qmp)
  return {
    vcpus: [...present].filter((name) => name.startsWith(processorPrefix)).length,
    ramMiB: present.has(memoryDevice) ? (await getProperty(qmp, 'requested-size')) / mebibyte : 0,
  }
}

/**
 * Returns the current size, and how much of it the guest uses: it acknowledges each added vCPU and takes memory in
 * steps.
 */
export async function sizeOf(machine: Pick<Growing, 'record' | 'qmp'>): Promise<GrownSize> {
  const qmp = machine.qmp()
  const { spec } = machine.record
  const given = await presentGrowth(qmp)
  const takenMiB = given.ramMiB > 0 ? (await getProperty(qmp, 'size')) / mebibyte : 0
  const taken = given.vcpus > 0 ? await acknowledged(qmp) : 0
  return {
    vcpus: spec.vcpus + given.vcpus,
    ramMiB: spec.ramMiB + given.ramMiB,
    guest: { vcpus: spec.vcpus + taken, ramMiB: spec.ramMiB + takenMiB },
  }
}

const deviceCheck = 1
const success = 0

async function acknowledged(qmp: Qmp): Promise<number> {
  const answers = await qmp.execute<{ device?: string; source: number; status: number }[]>('query-acpi-ospm-status')
  return answers.filter(
    ({ device, source, status }) => device?.startsWith(processorPrefix) && source === deviceCheck && status === success,
  ).length
}

async function peripherals(qmp: Qmp): Promise<Set<string>> {
  const devices = await qmp.execute<{ name: string }[]>('qom-list', { path: '/machine/peripheral' })
  return new Set(devices.map(({ name }) => name))
}

const getProperty = (qmp: Qmp, property: 'requested-size' | 'size') =>
  qmp.execute<number>('qom-get', { path: memoryPath, property })
const setProperty = (qmp: Qmp, property: 'requested-size', value: number) =>
  qmp.execute('qom-set', { path: memoryPath, property, value })
