import * as z from 'zod'

const bytes = z.number().int().nullable()
const percent = z.number().nullable().describe('In percent. Null: the engine does not report it.')

/** Capacity and load of a compute node; memory in bytes. Null: the engine does not report the value. */
export const ComputeNodeStatistics = z.object({
  physical: z
    .object({
      cpu_cores: z.number().int().nullable(),
      cpu_usage: percent,
      mem_total: bytes,
      mem_free: bytes,
      swap_total: bytes,
      swap_free: bytes,
    })
    .describe('The host itself.'),
  reserved: z
    .object({ vcpus: z.number().int(), cpus: z.number().int(), memory: z.number().int() })
    .describe('Kept free for the host. Not available to virtual machines.'),
  compute: z
    .object({
      vcpus: z.number().int().describe('Capacity for vCPUs, which exceeds the processors if they are overcommitted.'),
      vcpus_free: z.number().int(),
      cpu_usage: percent,
      vm_mem_reserved: z.number().int().describe('Memory promised to virtual machines.'),
      vm_mem_usage: bytes.describe('Memory that virtual machines use, as far as they report it.'),
      vm_mem_capacity: z.number().int(),
      vm_mem_free: z.number().int(),
    })
    .describe('Virtual machines on the node.'),
})
export type ComputeNodeStatistics = z.infer<typeof ComputeNodeStatistics>
