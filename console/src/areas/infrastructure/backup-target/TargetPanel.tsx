import { useState } from 'react'
import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import type { BackupTarget } from '@mainstay/contract/storage/backup-target'
import { refresh } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { Panel } from '../../../ui/Panel'
import { TargetForm } from './TargetForm'

/** The form for the backup target. After each save, it is remounted with the saved values. */
export function TargetPanel({ target }: { target: BackupTarget }) {
  const t = useT('infrastructure')
  const [saves, setSaves] = useState(0)
  const renew = () => void refresh([computeCluster.view]).then(() => setSaves((count) => count + 1))
  return (
    <Panel title={t('target.change')}>
      <TargetForm key={saves} target={target} onSaved={renew} />
    </Panel>
  )
}
