import { diskInUse } from '../../../image-files/image-fault'
import type { ImageWorker } from '../../../image-files/image-worker'
import type { Disks } from '../../hypervisor'
import { blockNodeName } from '../devices/ids'
import type { Machine } from '../machines/machine'
import { asFault } from '../reasons'

interface Given {
  worker: ImageWorker
  /** Returns the machine that has a disk open, or null if none has. */
  holderOf: (path: string) => { machine: Machine; diskId: string } | null
}

/**
 * Commands for snapshots inside qcow2 files: the file shares its unchanged blocks with its snapshots. While a machine
 * has the disk open, only its QEMU process may change the file.
 */
export function diskSnapshots({
  worker,
  holderOf,
}: Given): Pick<Disks, 'createSnapshot' | 'deleteSnapshot' | 'revertTo'> {
  async function change(path: string, act: 'create' | 'delete', name: string): Promise<void> {
    checkName(name)
    const holder = holderOf(path)
    if (!holder) return void (await worker.snapshot(path, act, name))
    const { machine, diskId } = holder
    await machine.exclusively(() => changeLive(machine, blockNodeName(diskId), act, name))
  }

  return {
    createSnapshot: (path, name) => change(path, 'create', name),
    deleteSnapshot: (path, name) => change(path, 'delete', name),
    async revertTo(path, name) {
      checkName(name)
      if (holderOf(path)) throw diskInUse()
      await worker.snapshot(path, 'revert', name)
    },
  }
}

const commands = {
  create: 'blockdev-snapshot-internal-sync',
  delete: 'blockdev-snapshot-delete-internal-sync',
} as const

async function changeLive(machine: Machine, device: string, act: 'create' | 'delete', name: string): Promise<void> {
  const qmp = machine.qmp()
  const nodes = await qmp.execute<{ 'node-name': string; image: { snapshots?: { name: string }[] } }[]>(
    'query-named-block-nodes',
    { flat: true },
  )
  const known = nodes.find((node) => node['node-name'] === device)?.image.snapshots ?? []
  if (known.some((one) => one.name === name) === (act === 'create')) return
  await qmp.execute(commands[act], { device, name }).catch((error: unknown) => {
    throw asFault(error)
  })
}

/** Checks a name, because it becomes an argument of programs. */
function checkName(name: string): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/.test(name)) throw new Error(`not a name for a snapshot: ${name}`)
}
