import type { ComputeCapabilities } from '@mainstay/contract/compute/compute-cluster'
import { diskFormats } from '@mainstay/contract/compute/image-file-types'
import { instanceActions, type InstanceAction } from '@mainstay/contract/compute/instance-rules'
import type { CloudArea } from '../area'
import { computeQuotasOf } from '../quotas'
import { flavorCommands } from './flavors/commands'
import { flavorReader } from './flavors/shape'
import { imageCommands } from './images/commands'
import { imageReader } from './images/shape'
import { watchUploads } from './images/uploads'
import { instanceCommands } from './instances/commands'
import { instanceReader } from './instances/reader'
import { learnCapabilities } from './learn-capabilities'
import { nodeCommands } from './nodes/commands'
import { nodeReader } from './nodes/shape'
import { placementCommands } from './placements/commands'
import { placementReader } from './placements/shape'
import { serverGroupCommands } from './server-groups/commands'
import { serverGroupReader } from './server-groups/shape'
import { sshKeyCommands } from './ssh-keys/commands'
import { sshKeyReader } from './ssh-keys/shape'
import { openNodes, statOf } from './stat'

/** Actions that the Nova API does not support. */
const neverPossible: readonly InstanceAction[] = ['cancelShutdown']

/** API limits for a flavor, used until the size of the largest node is known; memory in MiB. */
const unboundedInstance = { max_vcpus: 240, max_ram: 1024 * 1024 }

export const computeOfCloud: CloudArea<'compute'> = {
  area: 'compute',
  // commands use the caller's token for this cloud
  needs: ['identity'],
  readers: [flavorReader, imageReader, instanceReader, nodeReader, placementReader, serverGroupReader, sshKeyReader],
  open({ engine, quotaLimits }) {
    const { reading, log } = engine
    const nodes = openNodes(reading)
    const capabilities: ComputeCapabilities = {
      instance_actions: instanceActions.filter((action) => !neverPossible.includes(action)),
      image_formats: [...diskFormats],
      // serial consoles are added once the cloud is known to offer them
      console_protocols: ['vnc'],
      instance_ha: false,
      // changing the flavor in Nova requires a restart
      live_resize: false,
      instance_placements: false,
      placement_details: false,
      // background tasks do not have the user's token
      image_import: false,
      // see docs/decisions/0067-recycle-bin.md
      recycle_bin: false,
      backup_target: false,
      backup_verify: false,
      backup_files: false,
      machine_restore: false,
      many_nodes: true,
      ...unboundedInstance,
    }
    const learning = learnCapabilities({ account: reading.caller, nodes, log }, capabilities)
    let uploads: ReturnType<typeof watchUploads> | null = null
    return {
      port: {
        instances: instanceCommands(engine),
        images: imageCommands(engine),
        flavors: flavorCommands(engine),
        sshKeys: sshKeyCommands(engine),
        serverGroups: serverGroupCommands(engine),
        placements: placementCommands(engine),
        nodes: nodeCommands(engine, nodes),
        quotas: (scope, projectId) => computeQuotasOf(engine, scope, projectId),
        quotaLimits,
        stat: (scope) => statOf(engine, nodes, scope),
      },
      capabilities,
      watch: {
        start() {
          learning.start()
          uploads = watchUploads(engine)
        },
        stop() {
          learning.stop()
          uploads?.stop()
        },
      },
    }
  },
}
