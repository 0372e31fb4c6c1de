import { fieldProblem, problem } from '@mainstay/contract/core/problems'
import { taskIsOver, taskKind, type Task } from '@mainstay/contract/core/tasks'
import { canBeReplaced } from '@mainstay/contract/protection/machine-restores'
import { resources } from '@mainstay/contract/resources'
import { volumeBackupKind, type VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { serve } from '../../http/serve'
import { inProject } from '../../session/in-project'
import { enqueue } from '../../tasks/job'
import { serverScope } from '../../tasks/server-scope'
import type { Tools } from '../../tools'
import { replacingMachine } from './replace-machine'
import { restoringMachine } from './restore-machine'
import { instantOf, machineOf, matched } from './restore-steps'
import { startTest } from './test-restore'

function requireSupport({ capabilities }: Tools): void {
  if (!capabilities.compute.machine_restore) throw problem('protection.machine_restore_elsewhere')
}

async function isReplaced({ inventory }: Tools, machineId: string): Promise<boolean> {
  const query = { subject_id: machineId, name: `exact:${replacingMachine.name}`, limit: 20 }
  const { data } = await inventory.list<Task>(taskKind, serverScope, query)
  return data.some(({ state }) => !taskIsOver(state))
}

export const machineRestoreRoutes = serve(
  resources.machineRestores.calls,
  {
    async restoreMachine({ scope, params: { id }, body }, tools) {
      const project = inProject(scope)
      requireSupport(tools)
      // whatever cannot be restored is reported before the task starts
      await instantOf(tools, project, id)
      const { name } = await tools.inventory.view<VolumeBackup>(volumeBackupKind, project, id)
      const about = { subject: { kind: volumeBackupKind.name, id, name }, scope: project, serial: false }
      const start = { ...about, cancellable: true, args: { point: id, draft: body } }
      return { task_id: await tools.inventory.transaction((records) => enqueue(records, restoringMachine, start)) }
    },
    async testRestore({ scope, params: { id }, body }, tools) {
      const project = inProject(scope)
      requireSupport(tools)
      await instantOf(tools, project, id)
      const point = await tools.inventory.view<VolumeBackup>(volumeBackupKind, project, id)
      const { server_id } = point
      if (server_id === null) throw problem('protection.without_machine')
      const original = await machineOf(tools, project, server_id)
      const flavor = body.flavor ?? original?.flavor.id ?? null
      if (flavor === null) throw fieldProblem('flavor', 'protection.test_without_flavor')
      return { task_id: await tools.inventory.transaction((records) => startTest(records, project, { point, flavor })) }
    },
    async replaceMachine({ scope, params: { id }, body }, tools) {
      const project = inProject(scope)
      requireSupport(tools)
      const points = await instantOf(tools, project, id)
      const { server_id } = await tools.inventory.view<VolumeBackup>(volumeBackupKind, project, id)
      if (server_id === null) throw problem('protection.without_machine')
      const machine = await machineOf(tools, project, server_id)
      if (!machine) throw problem('protection.machine_gone')
      const { name, status, task_state } = machine
      if (!canBeReplaced(machine)) throw problem('protection.machine_not_now', { status: task_state ?? status })
      if (matched(machine, points).size === 0) throw problem('protection.instant_of_other_volumes')
      // the steps start jobs of the machine, which would wait for a job on it
      const about = { subject: { kind: 'server', id: server_id, name }, scope: project, serial: false }
      const start = { ...about, cancellable: true, args: { point: id, machine: server_id, ...body } }
      return tools.inventory.transaction(async (records) => {
        // two replacements would exchange each other's volumes
        await records.exclusive(`replace volumes:${server_id}`)
        if (await isReplaced(tools, server_id)) throw problem('protection.machine_is_replaced')
        return { task_id: await enqueue(records, replacingMachine, start) }
      })
    },
  },
  { kind: volumeBackupKind },
)
