import { instanceCan } from '@mainstay/contract/compute/instance-rules'
import { instanceKind, instances } from '@mainstay/contract/compute/instances'
import { newestSnapshots, snapshotCan, volumeCanBeCaptured } from '@mainstay/contract/storage/snapshot-rules'
import type { VolumeSnapshot } from '@mainstay/contract/storage/volume-snapshots'
import { volumeInProgress } from '@mainstay/contract/storage/volume-rules'
import { volumeKind, volumes, type Volume } from '@mainstay/contract/storage/volumes'
import type { CallProblem } from '../../../api/problem'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import type { Check } from '../../../patterns/CheckTrace'
import { useMay } from '../../../session/may'
import { Button } from '../../../ui/Button'
import { volumeStatusText } from '../volumes/volume-words'
import { barredByStatus } from './snapshot-words'
import { useSnapshotsOf } from './use-snapshots-of'

interface RevertCheck extends Check {
  title: string
}

interface RevertChecks {
  volume: Volume | undefined
  checks: RevertCheck[]
  /** True while the data for the checks is loading. */
  isChecking: boolean
  /** The error of an action that a check offers, if the action has failed. */
  problem: CallProblem | undefined
}

/**
 * Checks whether a volume can be reverted to a snapshot now: the snapshot must be the newest one, and the volume must
 * not be in use.
 */
export function useRevertChecks(snapshot: VolumeSnapshot): RevertChecks {
  const t = useT('storage')
  const may = useMay()
  const id = snapshot.volume_id
  const list = useSnapshotsOf(id)
  const { data: volume, isLoading } = useView(volumes.view, { id }, { kind: volumeKind })
  const user = volume?.attachments[0]
  const isUserKnown = user !== undefined && may(instances.view.needs)
  const instanceView = useView(
    instances.view,
    { id: user?.server_id ?? '' },
    { kind: instanceKind, isEnabled: isUserKnown },
  )
  const instance = isUserKnown ? instanceView.data : undefined
  const stop = useCall(instances.stop, { refresh: [instances.view, instances.list] })
  const newest = newestSnapshots(list.rows).get(id)
  const current = list.rows.find((row) => row.id === snapshot.id) ?? snapshot

  function checkOrder(): RevertCheck {
    if (newest && newest.id !== snapshot.id)
      return {
        id: 'newest',
        state: 'refused',
        title: t('snapshots.check.newer', { name: newest.name }),
        detail: t('snapshots.check.newerHelp'),
      }
    if (!snapshotCan('revert', current)) return { id: 'newest', state: 'refused', title: barredByStatus(current, t) }
    return { id: 'newest', state: 'passes', title: t('snapshots.check.newest') }
  }

  function checkUse(it: Volume): RevertCheck {
    if (!volumeCanBeCaptured(it))
      return {
        id: 'use',
        state: 'refused',
        title: t('snapshots.check.busy', { status: volumeStatusText(it.status, t) }),
        detail: volumeInProgress(it) && t('snapshots.check.busyHelp'),
      }
    if (!user) return { id: 'use', state: 'passes', title: t('snapshots.check.detached') }
    const values = { vm: user.server_name }
    if (!instance) return { id: 'use', state: 'unknown', title: t('snapshots.check.unknown', values) }
    const { status, task_state: task } = instance
    if (status === 'SHUTOFF' && task === null)
      return { id: 'use', state: 'passes', title: t('snapshots.check.stopped', values) }
    if (task === 'powering-off')
      return { id: 'use', state: 'refused', title: t('snapshots.check.shuttingDown', values) }
    return {
      id: 'use',
      state: 'refused',
      title: t('snapshots.check.running', values),
      detail: t('snapshots.check.runningHelp'),
      fix: may(instances.stop.needs) && instanceCan('shutDown', instance) && (
        <Button
          size="small"
          isBusy={stop.isPending}
          onPress={() => stop.start({ params: { id: instance.id }, body: { event: 'shutDown', hard: false } })}
        >
          {t('snapshots.check.shutDown', values)}
        </Button>
      ),
    }
  }

  return {
    volume,
    checks: [checkOrder(), ...(volume ? [checkUse(volume)] : [])],
    isChecking: isLoading || list.isLoading || (isUserKnown && instanceView.isLoading),
    problem: stop.problem,
  }
}
