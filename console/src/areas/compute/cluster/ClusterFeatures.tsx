import {
  computeCluster,
  type ComputeCapabilities,
  type ComputeCluster,
} from '@mainstay/contract/compute/compute-cluster'
import type { DomainFeature } from '@mainstay/contract/identity/domain-properties'
import { useCall } from '../../../api/use-call'
import type { Key } from '../../../i18n/catalogues'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { notifyError } from '../../../notices/notify-error'
import { CellNote, SmallTable } from '../../../patterns/table/SmallTable'
import { useMay } from '../../../session/may'
import { Button } from '../../../ui/Button'
import { Panel } from '../../../ui/Panel'
import { StatusBadge } from '../../../ui/values/StatusBadge'

/** The only feature that can be changed for all domains. The other features show why they cannot be changed. */
const changeable = 'allow_live_resize' satisfies DomainFeature

/** Describes what a feature does, or says that the engine does not support it. */
function helpOf(feature: DomainFeature, { live_resize }: ComputeCapabilities): Key<'computeCluster'> {
  if (feature === 'HciComputeBackupEnabled') return `cluster.feature.${feature}.help`
  const isSupported = feature === changeable && live_resize
  return isSupported ? `cluster.feature.${feature}.help` : 'cluster.feature.unsupported'
}

/** Default features of domains that have no settings of their own. */
export function ClusterFeatures({ cluster: { features, capabilities } }: { cluster: ComputeCluster }) {
  const t = useT('computeCluster')
  const may = useMay()
  const save = useCall(computeCluster.update, {
    refresh: [computeCluster.view],
    done: () => toast(t('cluster.saved')),
  })
  const set = (feature: DomainFeature, isOn: boolean) =>
    void save.run({ body: isOn ? { enable_features: [feature] } : { disable_features: [feature] } }).catch(notifyError)
  const rows = Object.entries(features) as [DomainFeature, boolean][]
  return (
    <Panel title={t('cluster.features')} isFlush>
      <SmallTable
        label={t('cluster.features')}
        rows={rows}
        keyOf={([feature]) => feature}
        isStacked
        columns={[
          {
            id: 'feature',
            label: t('cluster.featureName'),
            render: ([feature]) => (
              <>
                {t(`cluster.feature.${feature}`)}
                <br />
                <small>{t(helpOf(feature, capabilities))}</small>
                <CellNote>{feature}</CellNote>
              </>
            ),
          },
          {
            id: 'status',
            label: t('cluster.status'),
            render: ([, isOn]) => (
              <StatusBadge tone={isOn ? 'ok' : 'idle'}>{t(isOn ? 'cluster.on' : 'cluster.off')}</StatusBadge>
            ),
          },
          {
            id: 'actions',
            render: ([feature, isOn]) =>
              feature === changeable &&
              (isOn || capabilities.live_resize) &&
              may(computeCluster.update.needs) && (
                <Button size="small" isBusy={save.isPending} onPress={() => set(feature, !isOn)}>
                  {t(isOn ? 'cluster.setOff' : 'cluster.setOn')}
                </Button>
              ),
          },
        ]}
      />
    </Panel>
  )
}
