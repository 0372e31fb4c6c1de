import * as z from 'zod'
import { Time } from '../core/names'

/** How one sits before an instance: at its screen and keyboard (RFB), or at a terminal on its first serial port (text). */
export const ConsoleProtocol = z.enum(['vnc', 'serial'])
export type ConsoleProtocol = z.infer<typeof ConsoleProtocol>

/** The single-use right to a console (product notes, 01 §7). */
export const ConsoleTicket = z.object({
  protocol: ConsoleProtocol,
  path: z.string(),
  token: z.string(),
  expires_at: Time,
})
export type ConsoleTicket = z.infer<typeof ConsoleTicket>

/** What was done to an instance, newest first. */
export const InstanceEvent = z.object({
  id: z.string(),
  action: z.string(),
  user_id: z.string().nullable(),
  user_name: z.string().nullable(),
  project_id: z.string().nullable(),
  server_id: z.string(),
  request_id: z.string().nullable(),
  started_at: Time,
  finished_at: Time.nullable(),
  result: z.enum(['success', 'error', 'running']),
  message: z.string().nullable(),
})
export type InstanceEvent = z.infer<typeof InstanceEvent>

/** Counters since the instance was started; the console draws rates from two of them. */
export const InstanceStat = z.object({
  at: Time,
  cpu_usage: z.number().nullable(),
  mem_usage: z.number().nullable(),
  block_capacity: z.number().nullable(),
  block_usage: z.number().nullable(),
  disks: z.array(
    z.object({
      id: z.string(),
      read_bytes: z.number(),
      write_bytes: z.number(),
      read_ops: z.number(),
      write_ops: z.number(),
    }),
  ),
  nics: z.array(z.object({ id: z.string(), rx_bytes: z.number(), tx_bytes: z.number() })),
})
export type InstanceStat = z.infer<typeof InstanceStat>
