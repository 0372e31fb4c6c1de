import * as z from 'zod'
import { create, endpoints, update } from '../core/endpoint'
import { someId } from '../core/example'
import { GuestPassword } from './instance-draft'
import { Id } from '../core/names'
import { Instance } from './instance'
import { MAX_SHUTDOWN_SECONDS } from './instance-rules'

/** Path of a single instance. */
export const oneInstance = '/api/v2/compute/servers/:id'

const action = <const Name extends string, Body extends z.ZodType>(name: Name, summary: string, body: Body) =>
  ({
    verb: 'POST',
    path: `${oneInstance}/${name}`,
    needs: update('compute_server'),
    summary,
    body,
    status: 202,
    reply: Instance,
  }) as const

/** Optional `event` in the body of an action (S1§7); it is stored with the task. */
export const ActionEvent = z.string().max(255).optional()
const Plain = z.strictObject({ event: ActionEvent }).default({})

/** Actions that change the state of an instance. They return immediately, with the transitional status. */
export const instanceActionCalls = endpoints({
  start: action('start', 'Start a virtual machine', Plain),
  stop: action(
    'stop',
    'Shut down a virtual machine. Sends an ACPI signal; `hard` powers it off immediately.',
    z
      .strictObject({
        event: ActionEvent,
        hard: z.boolean().default(false),
        timeout: z.number().int().min(-1).max(MAX_SHUTDOWN_SECONDS).optional(),
      })
      .default({ hard: false }),
  ),
  cancelStop: {
    ...action(
      'cancel-stop',
      'Cancel the shutdown of a virtual machine. Stops waiting for the guest to shut down.',
      Plain,
    ),
    reply: z.void(),
  },
  reboot: action(
    'reboot',
    'Reboot a virtual machine. Sends an ACPI signal; `hard` resets it immediately.',
    z.strictObject({ event: ActionEvent, hard: z.boolean().default(false) }).default({ hard: false }),
  ),
  suspend: action('suspend', 'Suspend a virtual machine. Saves its memory to disk and stops it.', Plain),
  resume: action('resume', 'Resume a suspended virtual machine', Plain),
  pause: action('pause', 'Pause a virtual machine. Halts its vCPUs and keeps its memory.', Plain),
  unpause: action('unpause', 'Unpause a virtual machine', Plain),
  shelve: action(
    'shelve',
    'Shelve a virtual machine. Shuts it down and frees its vCPUs and memory. Volumes and IP addresses are kept.',
    Plain,
  ),
  unshelve: action(
    'unshelve',
    'Unshelve a virtual machine. Allocates vCPUs and memory for it again and starts it.',
    Plain,
  ),
  rescue: action(
    'rescue',
    'Rescue a virtual machine. Boots it from another image, with its own volumes attached.',
    /** `image_id` defaults to the image that the instance was created from. */
    z
      .strictObject({ event: ActionEvent, image_id: Id.optional() })
      .default({})
      .meta({ examples: [{ image_id: someId('image') }] }),
  ),
  unrescue: action('unrescue', 'Unrescue a virtual machine. Boots it from its own volumes again.', Plain),
  resize: action(
    'resize',
    'Resize a virtual machine. It must be shut down, unless it allows live resize or `restart` is set.',
    /** `restart` shuts down a running instance and starts it with the new flavor. */
    z
      .strictObject({ event: ActionEvent, flavor: Id, restart: z.boolean().default(false) })
      .meta({ examples: [{ flavor: someId('flavor') }] }),
  ),
  setPassword: {
    ...action(
      'password_set',
      'Set the administrator password of a virtual machine',
      z
        .strictObject({ event: ActionEvent, password: GuestPassword })
        .meta({ examples: [{ password: 'correct horse battery' }] }),
    ),
    needs: create('compute_server_password'),
  },
  migrate: {
    ...action(
      'migrate',
      'Migrate a virtual machine to another node. The migration is live while it runs, cold while it is shut down.',
      /** `cold` shuts down a running instance to move it. Without `node_id`, the engine chooses the node. */
      z
        .strictObject({ event: ActionEvent, node_id: Id.optional(), cold: z.boolean().default(false) })
        .default({ cold: false }),
    ),
    needs: create('compute_server_migrate'),
  },
  stopMigrate: {
    ...action('stopMigrate', 'Cancel the live migration of a virtual machine', Plain),
    needs: create('compute_server_migrate'),
  },
  evacuate: {
    ...action(
      'evacuate',
      'Evacuate a virtual machine. Starts it on another node after its node has failed.',
      z.strictObject({ event: ActionEvent, node_id: Id.optional() }).default({}),
    ),
    needs: create('compute_server_evacuate'),
  },
  reset: {
    ...action(
      'reset',
      'Reset the status of a virtual machine. Sets what the hypervisor reports; `state: error` sets ERROR.',
      z.strictObject({ event: ActionEvent, state: z.enum(['active', 'error']).optional() }).default({}),
    ),
    needs: create('compute_server_reset_state'),
  },
})
