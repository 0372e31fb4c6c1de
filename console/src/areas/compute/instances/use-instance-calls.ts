import type { InstanceAction } from '@mainstay/contract/compute/instance-rules'
import { instances, type Instance } from '@mainstay/contract/compute/instances'
import { recycleBin } from '@mainstay/contract/storage/recycle-bin'
import { volumes } from '@mainstay/contract/storage/volumes'
import { useCall } from '../../../api/use-call'
import { textsNow } from '../../../i18n/use-t'

/** Actions that require no input other than a confirmation. */
export type PlainAction = Extract<
  InstanceAction,
  | 'start'
  | 'shutDown'
  | 'powerOff'
  | 'cancelShutdown'
  | 'reboot'
  | 'hardReboot'
  | 'suspend'
  | 'resume'
  | 'pause'
  | 'unpause'
  | 'shelve'
  | 'unshelve'
  | 'unrescue'
  | 'migrate'
  | 'stopMigration'
  | 'evacuate'
  | 'resetState'
>

/** Volumes to delete with an instance, and whether to bypass the recycle bin. */
export interface InstanceDeletionChoice {
  volumes: readonly string[]
  isPermanent?: boolean
}

/**
 * Value for `delete_volumes`. A lone comma deletes no volumes; omitting the parameter deletes the volumes marked with
 * `delete_on_termination`.
 */
export const deletedVolumesQuery = (ids: readonly string[]) => (ids.length === 0 ? ',' : ids.join(','))

/** API calls for instance actions: `run(action, id)`. */
export function useInstanceCalls() {
  const settings = { refresh: [instances.timeline] }
  const calls = {
    start: useCall(instances.start, settings),
    stop: useCall(instances.stop, settings),
    cancelStop: useCall(instances.cancelStop, settings),
    reboot: useCall(instances.reboot, settings),
    suspend: useCall(instances.suspend, settings),
    resume: useCall(instances.resume, settings),
    pause: useCall(instances.pause, settings),
    unpause: useCall(instances.unpause, settings),
    shelve: useCall(instances.shelve, settings),
    unshelve: useCall(instances.unshelve, settings),
    unrescue: useCall(instances.unrescue, settings),
    migrate: useCall(instances.migrate, settings),
    stopMigration: useCall(instances.stopMigrate, settings),
    evacuate: useCall(instances.evacuate, settings),
    reset: useCall(instances.reset, settings),
    delete: useCall(instances.delete, { refresh: [instances.list, volumes.list, recycleBin.list] }),
  }

  function run(action: PlainAction, id: string, signal?: AbortSignal): Promise<Instance | void> {
    const params = { id }
    // the resulting task shows the name of the action
    const event = action
    const plain = { params, body: { event } }
    const options = signal ? { signal } : {}
    switch (action) {
      case 'shutDown':
        return calls.stop.run({ params, body: { event, hard: false } }, options)
      case 'powerOff':
        return calls.stop.run({ params, body: { event, hard: true } }, options)
      case 'cancelShutdown':
        return calls.cancelStop.run(plain, options)
      case 'reboot':
        return calls.reboot.run({ params, body: { event, hard: false } }, options)
      case 'hardReboot':
        return calls.reboot.run({ params, body: { event, hard: true } }, options)
      case 'resetState':
        return calls.reset.run(plain, options)
      default:
        return calls[action].run(plain, options)
    }
  }

  return {
    run,
    /** Runs an action from a button that cannot show errors itself: a failure is shown as a notification. */
    start(action: PlainAction, { id, name }: Pick<Instance, 'id' | 'name'>) {
      void run(action, id).catch(async (thrown: unknown) => {
        // the module is loaded on demand, to keep it out of the bundle for the list
        const { notifyError: tellProblem } = await import('../../../notices/notify-error')
        tellProblem(thrown, textsNow('instances')('instances.actionFailed', { name }))
      })
    },
    delete: (
      id: string,
      { volumes: deletedVolumes, isPermanent = false }: InstanceDeletionChoice,
      signal?: AbortSignal,
    ) =>
      calls.delete.run(
        {
          params: { id },
          query: {
            delete_volumes: deletedVolumesQuery(deletedVolumes),
            ...(isPermanent && { permanent: 'true' as const }),
          },
        },
        signal ? { signal } : {},
      ),
  }
}
