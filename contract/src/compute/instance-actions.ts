import * as z from 'zod'
import { create, endpoints, update } from '../core/endpoint'
import { someId } from '../core/example'
import { GuestPassword } from './instance-draft'
import { Id } from '../core/names'
import { Instance } from './instance'
import { MAX_SHUTDOWN_SECONDS } from './instance-rules'

/** Where one instance is. */
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

/** Bodies of actions carry an `event` (S1§7); it is kept with the task. */
export const ActionEvent = z.string().max(255).optional()
const Plain = z.strictObject({ event: ActionEvent }).default({})

/** What changes an instance's state: answered at once with the status it is in meanwhile. */
export const instanceActionCalls = endpoints({
  start: action('start', 'Power on an instance', Plain),
  stop: action(
    'stop',
    'Shut down an instance by ACPI, or cut its power',
    z
      .strictObject({
        event: ActionEvent,
        hard: z.boolean().default(false),
        timeout: z.number().int().min(-1).max(MAX_SHUTDOWN_SECONDS).optional(),
      })
      .default({ hard: false }),
  ),
  cancelStop: { ...action('cancel-stop', 'Stop waiting for a guest to shut down', Plain), reply: z.void() },
  reboot: action(
    'reboot',
    'Reboot an instance by ACPI, or reset it',
    z.strictObject({ event: ActionEvent, hard: z.boolean().default(false) }).default({ hard: false }),
  ),
  suspend: action('suspend', 'Suspend an instance: write its memory to disk and stop it', Plain),
  resume: action('resume', 'Resume a suspended instance', Plain),
  pause: action('pause', 'Pause an instance: halt its processors', Plain),
  unpause: action('unpause', 'Unpause an instance: let its processors run again', Plain),
  shelve: action(
    'shelve',
    'Shelve an instance: switch it off and free its vCPUs and memory; volumes and addresses stay',
    Plain,
  ),
  unshelve: action('unshelve', 'Unshelve an instance: take up vCPUs and memory again, and power on', Plain),
  rescue: action(
    'rescue',
    'Rescue an instance: boot another system, with its volumes behind it',
    /** `image_id` left out: the image that the instance was made of. */
    z
      .strictObject({ event: ActionEvent, image_id: Id.optional() })
      .default({})
      .meta({ examples: [{ image_id: someId('image') }] }),
  ),
  unrescue: action('unrescue', 'Boot an instance from its own volumes again', Plain),
  resize: action(
    'resize',
    'Change the flavor of an instance: while it is off, or while it runs where it allows that',
    /** `restart` switches one that runs off, and on again with the flavor. */
    z
      .strictObject({ event: ActionEvent, flavor: Id, restart: z.boolean().default(false) })
      .meta({ examples: [{ flavor: someId('flavor') }] }),
  ),
  setPassword: {
    ...action(
      'password_set',
      "Set the password of the guest's administrator",
      z
        .strictObject({ event: ActionEvent, password: GuestPassword })
        .meta({ examples: [{ password: 'correct horse battery' }] }),
    ),
    needs: create('compute_server_password'),
  },
  migrate: {
    ...action(
      'migrate',
      'Migrate an instance to another node: live while it runs, cold when it is off',
      /** `cold` moves one that runs by switching it off. The node is chosen where none is named. */
      z
        .strictObject({ event: ActionEvent, node_id: Id.optional(), cold: z.boolean().default(false) })
        .default({ cold: false }),
    ),
    needs: create('compute_server_migrate'),
  },
  stopMigrate: {
    ...action('stopMigrate', 'Cancel the live migration of an instance', Plain),
    needs: create('compute_server_migrate'),
  },
  evacuate: {
    ...action(
      'evacuate',
      'Evacuate an instance: start it on another node when its own is gone',
      z.strictObject({ event: ActionEvent, node_id: Id.optional() }).default({}),
    ),
    needs: create('compute_server_evacuate'),
  },
  reset: {
    ...action(
      'reset',
      'Reset the status of an instance to what the hypervisor says',
      z.strictObject({ event: ActionEvent, state: z.enum(['active', 'error']).optional() }).default({}),
    ),
    needs: create('compute_server_reset_state'),
  },
})
