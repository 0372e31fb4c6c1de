import { diskFormats } from '@mainstay/contract/compute/image-file-types'
import { instanceActions } from '@mainstay/contract/compute/instance-rules'
import type { MachineArea } from './area'
import { quotasOf } from '../quotas'
import { capacityOf } from '../compute/capacity'
import { ensureDefaultFlavors, flavorCommands } from '../compute/flavors'
import { imageCommands } from '../compute/images/commands'
import { findDigests } from '../compute/images/digests'
import { importJob, openImports } from '../compute/images/import'
import { offerSampleImage, type SampleImage } from '../compute/images/sample'
import { instanceCommands, instanceJobs } from '../compute/instances/commands'
import { openInstanceMetrics } from '../compute/instances/metrics'
import { unsupportedActions } from '../compute/instances/unsupported'
import { watch } from '../compute/instances/watch'
import { placementCommands } from '../compute/placements/commands'
import { serverGroupCommands } from '../compute/server-groups'
import { sshKeyCommands } from '../compute/ssh-keys'
import { statOf } from '../compute/stat'
import { nodeCommands } from '../compute/nodes/commands'
import { nodeJobs } from '../compute/nodes/jobs'
import { noteThisNode } from '../compute/nodes/this-node'
import { recycleInstance } from '../storage/recycle-bin/recycle'

/** The actor recorded for objects that the engine creates itself. */
const byTheServer = {
  ...({ kind: 'system', user_id: 'server', user_name: 'server', roles: ['system_admin'] } as const),
  request_id: 'first-start',
}

export const computeOfMachine: MachineArea<'compute'> = {
  area: 'compute',
  // instances boot from disks on this host
  needs: ['storage'],
  open({ engine, quotaLimits, owner, sampleImage }) {
    const { areas, hypervisor, log } = engine
    const metrics = openInstanceMetrics(engine)
    const imports = openImports()
    const images = imageCommands(engine, imports)
    const capacity = capacityOf(engine)

    async function offerSample(sample: SampleImage, signal: AbortSignal): Promise<void> {
      await offerSampleImage(engine, images, { sample, owner: { ...byTheServer, ...(await owner()) }, signal })
    }

    return {
      port: {
        instances: {
          ...instanceCommands(engine, metrics),
          recycle: (scope, id, chosen, how) => recycleInstance(engine, scope, id, { chosen, ...how }),
        },
        images,
        flavors: flavorCommands(engine),
        sshKeys: sshKeyCommands(engine),
        serverGroups: serverGroupCommands(engine),
        placements: placementCommands(engine),
        nodes: nodeCommands(engine),
        quotas: (scope, projectId) => quotasOf(engine, 'compute', scope, projectId),
        quotaLimits,
        stat: (scope) => statOf(engine, scope),
      },
      capabilities: {
        instance_actions: instanceActions.filter((action) => !unsupportedActions.includes(action)),
        image_formats: [...diskFormats],
        console_protocols: hypervisor.kind === 'qemu' ? ['vnc', 'serial'] : [],
        instance_ha: true,
        live_resize: true,
        instance_placements: true,
        placement_details: true,
        image_import: true,
        recycle_bin: areas.has('storage'),
        backup_target: areas.has('storage'),
        backup_verify: areas.has('storage'),
        backup_files: areas.has('storage'),
        machine_restore: areas.has('storage'),
        many_nodes: hypervisor.otherNodes !== null,
        max_vcpus: capacity.vcpusOfOne,
        max_ram: capacity.ramMiB,
      },
      jobs: { ...instanceJobs(engine), ...nodeJobs(engine), 'compute.image.import': importJob(engine, imports) },
      seed: async () => async (tx) => {
        await ensureDefaultFlavors(tx)
        await noteThisNode(engine, tx)
      },
      follow: () => watch(engine, metrics),
      inBackground: (signal) =>
        Promise.all([
          findDigests(engine, signal).catch((error: unknown) =>
            log.warn({ error }, 'failed to compute the digests of images'),
          ),
          sampleImage &&
            offerSample(sampleImage, signal).catch((error: unknown) =>
              log.warn({ error }, 'failed to create the sample image'),
            ),
        ]),
    }
  },
}
