import { clusters } from '@mainstay/contract/infrastructure/clusters'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import { useView } from '../../../../api/use-view'
import { messageNow } from '../../../../i18n/said'
import { useT } from '../../../../i18n/use-t'
import { useMay } from '../../../../session/may'
import { Banner } from '../../../../ui/feedback/Banner'

/** Why a node that is not in the cluster cannot be added to it. Both texts are those of the call that adds nodes. */
export function Membership({ node: { host, is_assigned } }: { node: Node }) {
  const t = useT('nodes')
  const isAsked = useMay()(clusters.list.needs) && !is_assigned
  const { data } = useView(clusters.list, {}, { isEnabled: isAsked })
  if (!isAsked || !data) return null
  const key = data.length === 0 ? 'infrastructure.no_cluster' : 'infrastructure.engine_one_node'
  return (
    <Banner tone="idle" title={t('notInCluster')}>
      {messageNow({ key, values: { host } })}
    </Banner>
  )
}
