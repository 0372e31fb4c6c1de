import { createReadStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'vitest'
import type { StartCloud } from '../conformance/cloud'
import { describeImages } from '../conformance/images'
import { describeInstances } from '../conformance/instances'
import { describeVolumes } from '../conformance/volumes'
import { openEmbeddedCompute } from './embedded'
import { openQemu } from './qemu/qemu'
import { guestImage, qemuIsInstalled } from './qemu/testbed'
import { memberOf, operator, silent } from './testing/embedded-cloud'
import { openMemory } from './testing/memory'

/** The engine on real machines, with records in memory. */
const start: StartCloud = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mainstay-qemu-cloud-'))
  const hypervisor = await openQemu({ folder, log: silent })
  if ('missing' in hypervisor) throw new Error(hypervisor.advice)
  const memory = openMemory()
  const server = memory.serve()
  const { records, jobs } = server
  const compute = await openEmbeddedCompute({ records, jobs, hypervisor, folder, log: silent })
  await compute.open()
  server.start()
  return {
    compute,
    member: memberOf('ours'),
    stranger: memberOf('theirs'),
    operator,
    row: async (kind, id) => memory.get(kind, id),
    bootImage: () => createReadStream(guestImage()),
    flavor: 's1.nano',
    largerFlavor: 's1.micro',
    network: 'default',
    address: (place) => `10.20.3.${place}`,
    async close() {
      await server.idle()
      for (const { id } of await hypervisor.machines.known()) await hypervisor.machines.forget(id)
      await compute.close()
      server.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

describe.skipIf(!qemuIsInstalled())('on real machines', () => {
  describeInstances(start)
  describeImages(start)
  describeVolumes(start)
})
