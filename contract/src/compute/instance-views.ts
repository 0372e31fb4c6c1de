import * as z from 'zod'
import { AuditChange } from '../core/audit-change'
import { DeletionLock } from '../core/deletion-locks'
import { Time } from '../core/names'
import { Refusal } from '../core/problems'

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
  /** What was set; of what operators did they alone are told. */
  changes: z.array(AuditChange),
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

/** What deleting an instance would do. */
export const InstanceDeletion = z.object({
  /** What would refuse it now. */
  refusal: Refusal.nullable(),
  /** Its volumes, each with whether it would be deleted as well; the others stay. `size` in bytes. */
  volumes: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      size: z.number().int(),
      is_deleted: z.boolean(),
      deletion_lock: DeletionLock.nullable(),
    }),
  ),
  /** Days for which it could be restored; null where it would be deleted for good. */
  recycle_days: z.number().int().nullable(),
  /** What it has in networks now, and would give up. */
  addresses: z.array(z.object({ network_name: z.string(), ip_address: z.string() })),
  /** Groups that it would leave; they stay. */
  server_groups: z.array(z.object({ id: z.string(), name: z.string() })),
})
export type InstanceDeletion = z.infer<typeof InstanceDeletion>
