import type { MachineSize, MachineSpec, MachineUsage } from '../hypervisor'
import type { Remembered } from './state-log'

/** Returns the hash of the text as a number from 0 (inclusive) to 1 (exclusive). */
export function shareOf(text: string): number {
  let hash = 2_166_136_261
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619)
  // improves the low bits, which are poor for short texts
  hash ^= hash >>> 15
  return ((Math.imul(hash, 2_246_822_519) ^ (hash >>> 13)) >>> 0) / 2 ** 32
}

/** Returns the average load of a simulated machine, 0–1. `usageOf` adds a slow wave to it. */
const levelOf = (id: string) => 0.02 + 0.7 * shareOf(id) ** 2

export function usageOf(machine: Remembered, spec: MachineSpec | null, now: number): MachineUsage {
  const seconds = Math.max(0, (now - machine.since) / 1000)
  const level = levelOf(machine.id)
  const phase = shareOf(`${machine.id}~`) * 2 * Math.PI
  // the integral of level * (1 + 0.6 sin(t/60 + phase)), so that its rate of change follows the wave
  const busy = level * (seconds + 36 * (Math.cos(phase) - Math.cos(seconds / 60 + phase)))
  const ram = machine.ramMiB * 1024 * 1024
  const bytes = Math.floor(busy * 250_000)
  return {
    cpuSeconds: Math.max(0, busy * machine.vcpus),
    ramBytes: Math.floor(ram * Math.min(0.95, 0.25 + 0.6 * shareOf(`${machine.id}+`))),
    disks: (spec?.disks ?? []).map(({ id }) => ({
      id,
      readBytes: bytes * 3,
      writtenBytes: bytes,
      readOps: Math.floor(bytes / 16_384),
      writeOps: Math.floor(bytes / 32_768),
    })),
    nics: (spec?.nics ?? []).map(({ id }) => ({ id, receivedBytes: bytes, sentBytes: Math.floor(bytes / 4) })),
  }
}

function grownText(spec: MachineSpec | null, now: MachineSize | undefined): string[] {
  if (!spec || !now || (now.vcpus <= spec.vcpus && now.ramMiB <= spec.ramMiB)) return []
  return [`guest: now ${now.vcpus} processors, ${now.ramMiB} MiB of memory`]
}

/** Returns the simulated serial output of a small Linux system up to now. */
export function consoleTextOf(machine: Remembered, spec: MachineSpec | null, now: number): string {
  const up = (now - machine.since) / 1000
  const stamp = (seconds: number) => `[${seconds.toFixed(6).padStart(12)}]`
  const boot = [
    // colored, like the output of many guests
    '\x1B[38;2;242;169;59msimulated\x1B[0m: this virtual machine is simulated; nothing runs',
    `${stamp(0)} Linux version 6.12.0-simulated`,
    `${stamp(0.004)} Memory: ${(spec ?? machine).ramMiB * 1024}K available`,
    `${stamp(0.021)} smp: Brought up 1 node, ${(spec ?? machine).vcpus} CPUs`,
    ...(spec?.disks ?? []).map(({ id }, at) => `${stamp(0.3 + at / 10)} virtio_blk virtio${at}: disk ${id}`),
    ...(spec?.nics ?? []).map(
      ({ mac, address }, at) => `${stamp(0.6 + at / 10)} eth${at}: ${mac} ${address ?? 'no address'}`,
    ),
    `${stamp(1.2)} cloud-init: hostname ${spec?.nics[0]?.hostname ?? machine.name}`,
    `${stamp(1.6)} guest: ready`,
    ...grownText(spec, machine.guest),
    '',
    `${machine.name} login: `,
  ]
  const cron = Array.from(
    { length: Math.min(200, Math.floor(up / 300)) },
    (_, at) => `${stamp((at + 1) * 300)} cron: tick`,
  )
  return [...boot, ...cron].join('\r\n')
}
