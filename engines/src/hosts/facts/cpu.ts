import type { HostFacts } from '@mainstay/contract/infrastructure/node-facts'
import * as z from 'zod'

type Cpu = HostFacts['cpu']

const Field = z.object({
  field: z.string(),
  data: z.string().nullish(),
  get children() {
    return z.array(Field).optional()
  },
})
type Field = z.infer<typeof Field>
const Lscpu = z.object({ lscpu: z.array(Field) })

/** Parses the output of `lscpu -J`. Newer versions of `lscpu` nest the fields. */
export function parseLscpu(text: string): Pick<Cpu, 'model' | 'sockets' | 'cores' | 'threads'> {
  const values = new Map<string, string>()
  const add = ({ field, data, children = [] }: Field) => {
    // if the host has processors of different types, only the first one is described
    if (data != null && !values.has(field)) values.set(field, data)
    children.forEach(add)
  }
  Lscpu.parse(JSON.parse(text)).lscpu.forEach(add)
  const count = (name: string) => {
    const value = Number(values.get(name))
    return Number.isInteger(value) && value > 0 ? value : null
  }
  const threads = count('CPU(s):')
  if (threads === null) throw new Error('no number of processors')
  const sockets = count('Socket(s):') ?? 1
  const perSocket = count('Core(s) per socket:')
  const model = values.get('Model name:')?.trim()
  return {
    model: model === undefined || model === '' || model === '-' ? null : model,
    ...{ sockets, threads },
    cores: perSocket === null ? threads / (count('Thread(s) per core:') ?? 1) : perSocket * sockets,
  }
}

/** CPU time of all processors since the host was started, in ticks. */
export interface CpuTimes {
  busy: number
  total: number
}

export interface KernelStat {
  times: CpuTimes
  bootedAt: Date
}

/** Parses `/proc/stat`. */
export function parseStat(text: string): KernelStat {
  const ticks = /^cpu +([\d ]+)$/m.exec(text)?.[1]?.trim().split(' ').map(Number)
  const booted = Number(/^btime (\d+)$/m.exec(text)?.[1])
  if (!ticks || ticks.length < 4 || !(booted > 0)) throw new Error('no processor times or no boot time')
  // guest time is already part of the user time
  const total = ticks.slice(0, 8).reduce((sum, value) => sum + value, 0)
  const idle = ticks[3]! + (ticks[4] ?? 0)
  return { times: { busy: total - idle, total }, bootedAt: new Date(booted * 1000) }
}

/**
 * Returns the fraction of the processors in use between two readings, or null if no time has passed or the host was
 * restarted.
 */
export function usageBetween(before: CpuTimes | null, now: CpuTimes): number | null {
  if (!before || now.total <= before.total) return null
  return Math.min(1, Math.max(0, (now.busy - before.busy) / (now.total - before.total)))
}

/** Parses `/proc/loadavg`. */
export function parseLoad(text: string): Cpu['load'] {
  const found = /^([\d.]+) ([\d.]+) ([\d.]+) /.exec(text)
  if (!found) throw new Error('no load averages')
  return [Number(found[1]), Number(found[2]), Number(found[3])]
}
