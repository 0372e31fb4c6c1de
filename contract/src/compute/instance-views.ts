import * as z from 'zod'
import { AuditChange } from '../core/audit-change'
import { DeletionLock } from '../core/deletion-locks'
import { Time } from '../core/names'
import { Refusal } from '../core/problems'

/** `vnc`: screen and keyboard (RFB). `serial`: terminal on the first serial port (text). */
export const ConsoleProtocol = z.enum(['vnc', 'serial'])
export type ConsoleProtocol = z.infer<typeof ConsoleProtocol>

/** Single-use ticket for a console (product notes, 01 §7). */
export const ConsoleTicket = z.object({
  protocol: ConsoleProtocol,
  path: z.string(),
  token: z.string(),
  expires_at: Time,
})
export type ConsoleTicket = z.infer<typeof ConsoleTicket>

/** An action on an instance. Lists are sorted newest first. */
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
  /** Changed fields. Changes by operators are visible to operators only. */
  changes: z.array(AuditChange),
})
export type InstanceEvent = z.infer<typeof InstanceEvent>

/** Counters since the instance was started; the console computes rates from two samples. */
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

/** Preview of deleting an instance. */
export const InstanceDeletion = z.object({
  /** Error that deleting the instance would return now; null if it can be deleted. */
  refusal: Refusal.nullable(),
  /**
   * Volumes of the instance. Those with `is_deleted` would be deleted with it; the others would be kept. `size` in
   * bytes.
   */
  volumes: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      size: z.number().int(),
      is_deleted: z.boolean(),
      deletion_lock: DeletionLock.nullable(),
    }),
  ),
  /** Number of days for which the instance could be restored; null if it would be deleted permanently. */
  recycle_days: z.number().int().nullable(),
  /** IP addresses that the instance would release. */
  addresses: z.array(z.object({ network_name: z.string(), ip_address: z.string() })),
  /** Server groups that the instance would leave. The groups are kept. */
  server_groups: z.array(z.object({ id: z.string(), name: z.string() })),
})
export type InstanceDeletion = z.infer<typeof InstanceDeletion>
