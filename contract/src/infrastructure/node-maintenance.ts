import * as z from 'zod'
import { create, endpoints, read, remove } from '../core/endpoint'
import { Time } from '../core/names'
import { TaskStarted } from '../core/tasks'
import { MaintenanceState, Statement } from './node-rules'

/** Effect of maintenance on a service of the node. `evacuate`: the service moves to other nodes. */
export const MaintenanceMode = z.enum(['evacuate', 'ignore', 'suspend'])
export type MaintenanceMode = z.infer<typeof MaintenanceMode>

/**
 * Services of a node. The mode of each service is in a field such as `compute_mode`. `backend`: the management
 * services.
 */
export const MaintenanceService = z.enum(['compute', 'storage', 's3', 'iscsi', 'alua', 'nfs', 'backend'])
export type MaintenanceService = z.infer<typeof MaintenanceService>

/**
 * The mode of each service. Virtual machines are moved (`evacuate`), shut down and started again afterwards
 * (`suspend`), or left as they are (`ignore`). Storage can only be suspended: its data is not copied to other nodes.
 */
export const MaintenanceModes = z.strictObject({
  compute_mode: MaintenanceMode.default('evacuate'),
  storage_mode: MaintenanceMode.default('suspend'),
  s3_mode: MaintenanceMode.default('evacuate'),
  iscsi_mode: MaintenanceMode.default('evacuate'),
  alua_mode: MaintenanceMode.default('evacuate'),
  nfs_mode: MaintenanceMode.default('evacuate'),
  backend_mode: MaintenanceMode.default('evacuate'),
})
export type MaintenanceModes = z.infer<typeof MaintenanceModes>

/** Returns the name of the field with the mode of a service. */
export const modeField = (service: MaintenanceService): keyof MaintenanceModes => `${service}_mode`

/** Default modes (product notes 08 §I C4). */
export const defaultModes: MaintenanceModes = MaintenanceModes.parse({})

/** Effect of a mode on a service of the node. Only services that run on the node have checks. */
export const MaintenanceCheck = Statement.extend({
  service: MaintenanceService,
  mode: MaintenanceMode,
  /** `blocked`: maintenance cannot begin with this mode. */
  result: z.enum(['ok', 'warning', 'blocked']),
  /** Objects that are affected, such as virtual machines. At most 100. */
  objects: z.array(z.object({ kind: z.string(), id: z.string(), name: z.string() })),
})
export type MaintenanceCheck = z.infer<typeof MaintenanceCheck>

export const MaintenancePrecheck = z.object({
  /** One check for each mode of each service, with the services in the order of the screens. */
  checks: z.array(MaintenanceCheck),
  /**
   * Modes with which maintenance can begin: the default mode of each service if possible, otherwise the mode with the
   * smallest effect.
   */
  suggested: MaintenanceModes,
})
export type MaintenancePrecheck = z.infer<typeof MaintenancePrecheck>

/** The maintenance of a node. */
export const NodeMaintenance = z.object({
  /** Null: the node is not in maintenance. */
  state: MaintenanceState.nullable(),
  since: Time.nullable(),
  task_id: z.string().nullable(),
  modes: MaintenanceModes.nullable(),
  /** Virtual machines that were shut down and will be started again. */
  stopped: z.array(z.object({ id: z.string(), name: z.string() })),
})
export type NodeMaintenance = z.infer<typeof NodeMaintenance>

const path = '/api/v2/nodes/:id/maintenance'
const resource = 'node_maintenance'
export const nodeMaintenance = endpoints({
  view: {
    verb: 'GET',
    path,
    needs: read(resource),
    summary: 'Get the maintenance state of a node',
    reply: NodeMaintenance,
  },
  precheck: {
    verb: 'POST',
    path: `${path}/precheck`,
    needs: read(resource),
    summary: 'Check what maintenance of a node would do to its services. Changes nothing.',
    reply: MaintenancePrecheck,
  },
  enter: {
    verb: 'POST',
    path,
    needs: create(resource),
    summary: 'Put a node into maintenance',
    body: MaintenanceModes.meta({ examples: [{ compute_mode: 'ignore', storage_mode: 'suspend' }] }),
    status: 202,
    reply: TaskStarted,
  },
  exit: {
    verb: 'DELETE',
    path,
    needs: remove(resource),
    summary: 'Return a node from maintenance. Virtual machines that were shut down for it are started again.',
    body: z
      .strictObject({
        /** With `ignore`, virtual machines that were shut down stay shut down. */
        compute_mode: MaintenanceMode.optional(),
      })
      .default({})
      .meta({ examples: [{}] }),
    status: 202,
    reply: TaskStarted,
  },
})
