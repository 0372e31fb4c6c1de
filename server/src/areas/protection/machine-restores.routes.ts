import { problem } from '@mainstay/contract/core/problems'
import { resources } from '@mainstay/contract/resources'
import { volumeBackupKind, type VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { serve } from '../../http/serve'
import { inProject } from '../../session/in-project'
import { enqueue } from '../../tasks/job'
import { replacingMachine } from './replace-machine'
import { restoringMachine } from './restore-machine'
import { instantOf, machineOf } from './restore-steps'

export const machineRestoreRoutes = serve(
  resources.machineRestores.calls,
  {
    async restoreMachine({ scope, params: { id }, body }, tools) {
      const project = inProject(scope)
      // whatever cannot be restored is reported before the task starts
      await instantOf(tools, project, id)
      const { name } = await tools.inventory.view<VolumeBackup>(volumeBackupKind, project, id)
      const about = { subject: { kind: volumeBackupKind.name, id, name }, scope: project, serial: false }
      const start = { ...about, cancellable: true, args: { point: id, draft: body } }
      return { task_id: await tools.inventory.transaction((records) => enqueue(records, restoringMachine, start)) }
    },
    async replaceMachine({ scope, params: { id }, body }, tools) {
      const project = inProject(scope)
      await instantOf(tools, project, id)
      const { server_id } = await tools.inventory.view<VolumeBackup>(volumeBackupKind, project, id)
      if (server_id === null) throw problem('protection.without_machine')
      const machine = await machineOf(tools, project, server_id)
      if (!machine) throw problem('protection.machine_gone')
      const { name, status, task_state } = machine
      if (!['ACTIVE', 'SHUTOFF', 'PAUSED'].includes(status) || task_state !== null)
        throw problem('protection.machine_not_now', { status: task_state ?? status })
      // the steps start jobs of the machine, which would wait for a job on it
      const about = { subject: { kind: 'server', id: server_id, name }, scope: project, serial: false }
      const start = { ...about, cancellable: true, args: { point: id, machine: server_id, ...body } }
      return { task_id: await tools.inventory.transaction((records) => enqueue(records, replacingMachine, start)) }
    },
  },
  { kind: volumeBackupKind },
)
