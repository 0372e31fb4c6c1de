import * as z from 'zod'
import { InstanceNetworkDraft } from '../compute/instance-draft'
import { says } from '../core/said'
import { endpoints, update } from '../core/endpoint'
import { someId } from '../core/example'
import { Id, ResourceName } from '../core/names'

/** A new virtual machine with the volumes of all recovery points that were created together. */
export const RestoreMachineDraft = z
  .strictObject({
    name: ResourceName,
    flavor: Id,
    /** Empty: no network, so that the copy cannot receive traffic that is meant for the original. */
    networks: z
      .array(InstanceNetworkDraft)
      .max(8, says('compute.too_many_networks', { most: 8 }))
      .default([]),
  })
  .meta({ examples: [{ name: 'web-restored', flavor: someId('flavor') }] })
export type RestoreMachineDraft = z.infer<typeof RestoreMachineDraft>

export const ReplaceMachine = z
  .strictObject({
    keep_current: z
      .boolean()
      .default(true)
      .describe('Whether recovery points of the current volumes are created first.'),
  })
  .meta({ examples: [{ keep_current: true }] })

export const TestRestore = z
  .strictObject({ flavor: Id.optional().describe('Default: the flavor of the original virtual machine.') })
  .meta({ examples: [{}] })

/** Whether the volumes of a virtual machine can be replaced now. */
export const canBeReplaced = ({ status, task_state }: { status: string; task_state: string | null }): boolean =>
  (status === 'ACTIVE' || status === 'SHUTOFF') && task_state === null

const path = '/api/v2/compute/volume_backups'
const reply = z.object({ task_id: z.string() })
export const machineRestores = endpoints({
  restoreMachine: {
    verb: 'POST',
    path: `${path}/:id/restore-machine`,
    // all roles that can restore recovery points can create virtual machines
    needs: update('compute_volume_backups'),
    summary: 'Create a virtual machine from all recovery points that were created together with this one',
    body: RestoreMachineDraft,
    status: 202,
    reply,
  },
  testRestore: {
    verb: 'POST',
    path: `${path}/:id/test-restore`,
    needs: update('compute_volume_backups'),
    summary:
      'Start a virtual machine without network from all recovery points that were created together with this one, record whether its system came up (the guest agent answered) or at least kept running, and remove it. It counts towards the quotas until then.',
    body: TestRestore,
    status: 202,
    reply,
  },
  replaceMachine: {
    verb: 'POST',
    path: `${path}/:id/replace-machine`,
    needs: update('compute_volume_backups'),
    summary:
      'Replace the volumes of a virtual machine with those of all recovery points that were created together with this one. They are restored first, then the virtual machine is stopped. If a step fails, the steps before it are undone. The previous volumes are kept.',
    body: ReplaceMachine,
    status: 202,
    reply,
  },
})
